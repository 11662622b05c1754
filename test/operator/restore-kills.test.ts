// `operator restore`, killed after each of its steps: the next run continues it, and the result is the same.
import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  ListTagsOfResourceCommand,
  TagResourceCommand,
} from '@aws-sdk/client-dynamodb'
import { beforeAll, describe, expect, it } from 'vitest'
import { MARGIN } from '../../infra/operator/restore/counters.ts'
import { RESTORE_STEPS, type RestoreJob, runSteps } from '../../infra/operator/restore/steps.ts'
import { tableSettingsOf } from '../../infra/operator/restore/table-settings.ts'
import { newEventId } from '../../shared/events/event-id.ts'
import { claimMail, endMail, previousClaim } from '../../shared/mail/claim.ts'
import { findRefusal } from '../../shared/mail/refusals.ts'
import {
  counterKey,
  deliveriesPartition,
  mailKey,
  outboxPartitions,
  postKey,
  replayKey,
  SCHEDULED_PARTITION,
} from '../../shared/table/design.ts'
import { COUNTERS } from '../../shared/table/kinds.ts'
import { findReplay } from '../../shared/webhooks/store/replays.ts'
import { contextOn, Killed } from '../import-export/table-context.ts'
import { dumpOf } from '../world/table.ts'
import { use } from '../world/use.ts'
import { AT_MS, openRestoreStory, REFUSING } from './restore-story.ts'

const NOON_MS = AT_MS + 3_600_000
const TAG = { Key: 'team', Value: 'web' }

const opened = use(openRestoreStory)
beforeAll(async () => {
  const { dynamodb, tableName } = opened.world
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: tableName }))
  await dynamodb.send(new TagResourceCommand({ ResourceArn: Table?.TableArn, Tags: [TAG] }))
})

function jobOf(name: string, writes?: number) {
  const { world, endpoint } = opened
  const to = `${world.tableName}-${name}`
  const context = contextOn({ ...world, endpoint }, writes)
  const job: RestoreJob = {
    context: { ...context, target: context.target.withTable(to) },
    from: world.tableName,
    to,
    atSeconds: AT_MS / 1000,
    olds: [context.target],
    isAdopted: false,
    isInUse: false,
    settings: tableSettingsOf(undefined),
  }
  return { job, isKilled: context.isKilled }
}

/** What a restore is for: ids, what was sent and what was not, and what AWS does not restore. */
async function stateOf({ context, to }: RestoreJob) {
  const { story, recovery } = opened
  const { client, dynamodb } = context.target
  const items = await dumpOf(client, to)
  const of = (pks: string[]) => items.filter(({ pk }) => pks.includes(pk))
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: to }))
  const ttl = await dynamodb.send(new DescribeTimeToLiveCommand({ TableName: to }))
  const tags = await dynamodb.send(new ListTagsOfResourceCommand({ ResourceArn: Table?.TableArn }))
  return {
    last: Object.fromEntries(COUNTERS.map(name => [name, of([counterKey(name).pk])[0]?.last])),
    claimed: of([deliveriesPartition(story.webhookId)]).map(({ sk, status }) => `${sk} ${status}`),
    mails: Object.values(story.mails).map(id => of([mailKey(id).pk]).map(({ status }) => status)),
    isRefused: (await findRefusal(context.target.table, REFUSING)) !== undefined,
    replays: of([replayKey(story.webhookId).pk]).length,
    rows: of(outboxPartitions()).map(({ sk }) => sk),
    scheduled: of([SCHEDULED_PARTITION]).length,
    isAnnounced: of([postKey(story.announcedId).pk]).find(({ sk }) => sk === 'POST')?.announced,
    isProtected: Table?.DeletionProtectionEnabled,
    ceiling: Table?.OnDemandThroughput,
    expiry: ttl.TimeToLiveDescription?.AttributeName,
    isRecoverable: recovery.recoverable.has(to),
    tags: tags.Tags,
  }
}

const CEILING = { MaxReadRequestUnits: 12_000, MaxWriteRequestUnits: 4_000 }

describe('restore', () => {
  it('fences ids, claims, messages and announcements, and gives the table all that the template would', async () => {
    const { story } = opened
    const { job } = jobOf('whole')
    const report = await runSteps(job, RESTORE_STEPS)
    expect(report).toMatchObject({
      isNew: true,
      claims: 1,
      mails: 3,
      refusals: 1,
      sent: { events: 1 },
      replays: 1,
      announced: [story.announcedId],
    })
    expect(report.problems.filter(({ isRepaired, isQueued }) => !isRepaired && !isQueued)).toEqual([])
    const given = new Map(opened.today.map(({ pk, last }) => [pk, Number(last ?? 0)]))
    expect(await stateOf(job)).toEqual({
      last: Object.fromEntries(COUNTERS.map(name => [name, (given.get(counterKey(name).pk) ?? 0) + MARGIN])),
      claimed: [expect.stringMatching(/ sending$| failed$/)],
      mails: [['sent'], ['sent'], ['released']],
      isRefused: true,
      replays: 0,
      rows: [story.unsent.sk],
      scheduled: 0,
      isAnnounced: true,
      isProtected: true,
      ceiling: CEILING,
      expiry: 'expires',
      isRecoverable: true,
      tags: [TAG],
    })
  })

  it('lets no mail be sent twice, and keeps what happened in the new table since the switch', async () => {
    const { story, world } = opened
    const { mails } = story
    const { job } = jobOf('in-use')
    await runSteps(job, RESTORE_STEPS)
    const { table } = job.context.target
    expect(await previousClaim(table, mails.ended, NOON_MS)).toBe('ended')
    expect(await previousClaim(table, mails.sent, NOON_MS)).toBe('ended')
    // The next attempt for the mail that SES did not accept runs while the command runs again.
    expect(await previousClaim(table, mails.released, NOON_MS)).toBeUndefined()
    const message = { kind: 'verify-email' as const, id: mails.released, user_id: 1 }
    const claimContext = { table, key: 'key', nowMs: NOON_MS, scale: 1 }
    expect(await claimMail(claimContext, message, 'ada@example.com')).toBe('claimed')
    // A replay of deliveries that began since goes on.
    const id = newEventId(NOON_MS).replace('evt', 'replay')
    const old = await findReplay(world.table, story.webhookId, NOON_MS)
    await table.putMany([{ ...replayKey(story.webhookId), ...old, id, step: 1 }])
    const again = await runSteps({ ...job, isInUse: true }, RESTORE_STEPS)
    expect(again).toMatchObject({ isNew: false, claims: 0, mails: 0, refusals: 0, replays: 0 })
    await endMail(table, mails.released, 'sent', NOON_MS)
    expect(await previousClaim(table, mails.released, NOON_MS)).toBe('ended')
  })

  it.each(RESTORE_STEPS.map(({ name }, n) => ({ name, n })))(
    'continues after a kill before the step: $name',
    async ({ n }) => {
      await runSteps(jobOf(`killed-${n}`).job, RESTORE_STEPS.slice(0, n))
      const { job } = jobOf(`killed-${n}`)
      await runSteps(job, RESTORE_STEPS)
      expect(await stateOf(job)).toEqual(await stateOf(jobOf('whole').job))
      expect(await opened.world.dump()).toEqual(opened.today)
    },
  )

  it('continues after a kill after any write of any step', async () => {
    const whole = await stateOf(jobOf('whole').job)
    let writes = 0
    for (let wasKilled = true; wasKilled; writes++) {
      const to = `cut-${writes}`
      const { job, isKilled } = jobOf(to, writes)
      await runSteps(job, RESTORE_STEPS).catch(error => {
        if (!(error instanceof Killed)) throw error
      })
      wasKilled = isKilled()
      await runSteps(jobOf(to).job, RESTORE_STEPS)
      expect([writes, await stateOf(jobOf(to).job)]).toEqual([writes, whole])
    }
    expect(writes).toBeGreaterThan(20)
    expect(await opened.world.dump()).toEqual(opened.today)
  }, 300_000)
})
