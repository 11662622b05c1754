// `operator restore --adopt` on a table of which the test knows what has happened since the moment.
import { describe, expect, it } from 'vitest'
import { adoptTable, MARGIN } from '../../infra/operator/adopt-table.ts'
import { newEventId } from '../../shared/events/message.ts'
import { findRefusal } from '../../shared/mail/refusals.ts'
import { claimMail, endMail } from '../../shared/mail/send.ts'
import {
  burstKey,
  mailKey,
  outboxPartitions,
  postKey,
  replayKey,
  SCHEDULED_PARTITION,
} from '../../shared/table/design.ts'
import { findReplay } from '../../shared/webhooks/commands/redeliver.ts'
import { contextOn, Killed } from '../import-export/table-context.ts'
import { dumpAt } from '../support/table.ts'
import { use } from '../support/use.ts'
import { operatorOn } from './operator-world.ts'
import { AT_MS, lastIdsOf, openRestoreStory, REFUSING, stageWith } from './restore-story.ts'

const AT = new Date(AT_MS).toISOString()
const NOON_MS = AT_MS + 3_600_000
const opened = use(openRestoreStory)

/** Tables of other files are in the same database. */
function named(word: string): string {
  return `${opened.world.tableName}-${word}`
}

function operator(tableName?: string) {
  return operatorOn(stageWith(opened, tableName), () => NOON_MS)
}

async function restored(word: string): Promise<string> {
  await operator().json(['restore', '--to', AT, '--as', named(word)])
  return named(word)
}

function adoptionOf(name: string, writes?: number) {
  const context = contextOn({ ...opened.world, endpoint: opened.endpoint }, writes)
  const target = context.target.withTable(name)
  const adoption = { context: { ...context, target }, old: context.target, atMs: AT_MS, isInUse: false }
  return { adoption, table: target.table, isKilled: context.isKilled }
}

/** What was set aside: ids, what was sent and what was not. */
async function stateOf(name: string) {
  const { story } = opened
  const items = await dumpAt(opened.world.endpoint, name)
  const of = (pks: string[]) => items.filter(({ pk }) => pks.includes(pk))
  const replay = replayKey(story.webhookId)
  const log = of([replay.pk])
  return {
    last: await lastIdsOf(opened, name),
    claimed: log.filter(({ sk }) => sk !== replay.sk).map(({ sk, status }) => `${sk} ${status}`),
    mails: Object.values(story.mails).map(id => of([mailKey(id).pk]).map(({ status }) => status)),
    isRefused: (await findRefusal(adoptionOf(name).table, REFUSING)) !== undefined,
    collected: of([burstKey(story.webhookId).pk]).map(({ sk }) => sk),
    replays: log.filter(({ sk }) => sk === replay.sk).length,
    rows: of(outboxPartitions())
      .map(({ sk }) => sk)
      .sort(),
    scheduled: of([SCHEDULED_PARTITION]).length,
    isAnnounced: of([postKey(story.announcedId).pk]).find(({ sk }) => sk === 'POST')?.announced,
  }
}

async function expectedState() {
  const { story, world } = opened
  return {
    last: (await lastIdsOf(opened, world.tableName)).map(last => last + MARGIN),
    claimed: [expect.stringMatching(/ sending$| failed$/)],
    mails: [['sent'], ['sent'], ['released']],
    isRefused: true,
    // The events that were collected before and since, and no burst.
    collected: [expect.stringMatching(/^evt_/), expect.stringMatching(/^evt_/)],
    replays: 0,
    rows: [story.unsent.sk, story.unreadable.sk].sort(),
    scheduled: 0,
    isAnnounced: true,
  }
}

describe('restore --adopt', () => {
  it('sets ids, claims, messages and announcements aside, and changes nothing in the old table', async () => {
    const name = await restored('whole')
    const report = await operator().json(['restore', '--to', AT, '--as', name, '--adopt'])
    const counts = { claims: 5, refusals: 1, sent: 1, replays: 1, bursts: 1 }
    expect(report).toMatchObject({ ...counts, announced: [opened.story.announcedId] })
    expect(await stateOf(name)).toEqual(await expectedState())
    expect(await opened.world.dump()).toEqual(opened.today)
  })

  it('continues after a kill after any write', async () => {
    let writes = 0
    for (let wasKilled = true; wasKilled; writes++) {
      const name = await restored(`cut-${writes}`)
      const { adoption, isKilled } = adoptionOf(name, writes)
      await adoptTable(adoption).catch(error => {
        if (!(error instanceof Killed)) throw error
      })
      wasKilled = isKilled()
      await adoptTable(adoptionOf(name).adoption)
      expect([writes, await stateOf(name)]).toEqual([writes, await expectedState()])
    }
    expect(writes).toBeGreaterThan(15)
  }, 300_000)

  it('lets no mail be sent twice, and keeps what happened in the new table since the switch', async () => {
    const { story, world } = opened
    const { mails } = story
    const { adoption, table } = adoptionOf(await restored('in-use'))
    await adoptTable(adoption)
    const claim = (id: string) => {
      const message = { kind: 'verify-email' as const, id, user_id: 1 }
      return claimMail({ table, key: 'key', nowMs: NOON_MS, scale: 1 }, message, 'ada@example.com')
    }
    expect(await claim(mails.ended)).toBe('ended')
    expect(await claim(mails.sent)).toBe('ended')
    // The next attempt for the mail that SES did not accept runs while the command runs again.
    expect(await claim(mails.released)).toBe('claimed')
    // A replay of deliveries that began since goes on.
    const id = newEventId(NOON_MS).replace('evt', 'replay')
    const old = await findReplay(world.table, story.webhookId, NOON_MS)
    await table.putMany([{ ...replayKey(story.webhookId), ...old, id }])
    const again = await adoptTable({ ...adoption, isInUse: true })
    expect(again).toMatchObject({ claims: 0, refusals: 0, sent: 0, replays: 0, bursts: 0, announced: [] })
    await endMail(table, mails.released, 'sent', NOON_MS)
    expect(await claim(mails.released)).toBe('ended')
  })

  it('raises all ids by a million once if the old table is lost, and counts all messages as sent', async () => {
    const name = await restored('lost')
    const before = await lastIdsOf(opened, name)
    const command = ['restore', '--to', AT, '--as', name, '--adopt']
    const advice = 'There is no table deleted. If it was deleted, restore its last backup in AWS'
    expect(await operator('deleted').refusal(command)).toContain(advice)
    // The stack still names the table that was deleted; later, the new one.
    for (const [tableName, sent] of [
      ['deleted', 3],
      [name, 0],
    ] as const) {
      expect(await operator(tableName).json([...command, '--lost'])).toMatchObject({ claims: 0, sent })
      expect(await lastIdsOf(opened, name)).toEqual(before.map(last => last + 1_000_000))
    }
    expect((await stateOf(name)).rows).toEqual([])
  })

  it('refuses a missing table, one from another moment, the old one, and one of something else', async () => {
    const name = await restored('refused')
    const before = await stateOf(name)
    const refusal = (to: string, as: string) =>
      operator().refusal(['restore', '--adopt', '--to', to, '--as', as])
    expect(await refusal(AT, named('nowhere'))).toContain('is not ready: its status is missing.')
    const another = 'is from another moment: pass --to 2026-11-01T11:00:00+00:00'
    expect(await refusal('2026-11-01T11:30:00Z', name)).toContain(another)
    expect(await refusal(AT, opened.world.tableName)).toContain('is the old table.')
    expect(await stateOf(name)).toEqual(before)
  })
})
