// `operator restore` as a command: a lost table, an older one, a busy one, and two runs at once.
import { describe, expect, it, onTestFinished } from 'vitest'
import { MARGIN } from '../../infra/operator/restore/counters.ts'
import { outboxPartitions } from '../../shared/table/design.ts'
import { lastId, nextIds } from '../../shared/table/next-id.ts'
import { newTable } from '../world/new-table.ts'
import { use } from '../world/use.ts'
import { AT, restoreCommands } from './restore-commands.ts'
import { lastIdsOf, openRestoreStory } from './restore-story.ts'

const opened = use(openRestoreStory)
const { named, operator, restoreInAws, itemsOf } = restoreCommands(opened)

describe('restore --lost', () => {
  it('raises all ids by a million once, and counts all messages of the moment as sent', async () => {
    await restoreInAws(named('lost'))
    const before = await lastIdsOf(opened, named('lost'))
    const command = ['restore', '--to', AT, '--as', named('lost'), '--lost']
    // The stack still names the table that was deleted.
    const report = await operator('deleted').json(command)
    expect(report).toMatchObject({ claims: 0, sent: { events: 2 }, announced: [opened.story.announcedId] })
    const raised = before.map(last => last + 1_000_000)
    expect(await lastIdsOf(opened, named('lost'))).toEqual(raised)
    expect(await itemsOf(named('lost'), outboxPartitions())).toEqual([])

    // Again, also after the switch.
    for (const tableName of ['deleted', named('lost')]) {
      expect(await operator(tableName).json(command)).toMatchObject({ sent: {}, announced: [] })
      expect(await lastIdsOf(opened, named('lost'))).toEqual(raised)
    }
  })

  it('is the advice if the table of the stage does not exist', async () => {
    const { code, err } = await operator('deleted').run(['restore', '--to', AT])
    expect(code).toBe(1)
    expect(err).toContain('There is no table deleted. If it was deleted, restore its last backup in AWS')
    expect(await operator('deleted').run(['restore', '--to', AT, '--lost'])).toMatchObject({ code: 2 })
  })
})

describe('restore', () => {
  it('counts from the ids of the table that the stage has now, too, if it restores from an older one', async () => {
    const current = await newTable()
    onTestFinished(() => current.stop())
    await nextIds(current.table, 'post', 7_000)
    const command = ['restore', '--to', AT, '--as', named('third'), '--source', opened.world.tableName]
    const report = await operator(current.tableName).json(command)
    expect(report.counters.post).toBe(7_000 + MARGIN)
    expect(report.counters.user).toBe((await lastId(opened.world.table, 'user')) + MARGIN)
  })

  it('waits while AWS changes the table, as it does after a restore', async () => {
    const { recovery, world } = opened
    recovery.busy.set('UpdateContinuousBackups', 'ContinuousBackupsUnavailableException')
    recovery.busy.set('UpdateTable', 'ResourceInUseException')
    await operator().json(['restore', '--to', AT, '--as', named('busy')])
    expect(recovery.busy.size).toBe(0)
    expect(recovery.recoverable).toContain(named('busy'))
    expect(await lastIdsOf(opened, named('busy'))).toEqual(
      (await lastIdsOf(opened, world.tableName)).map(last => last + MARGIN),
    )
  })

  it.each([
    ['InvalidRestoreTimeException', 'point-in-time recovery keeps 35 days, from about five minutes ago on.'],
    ['PointInTimeRecoveryUnavailableException', 'has no point-in-time recovery, as of a disposable stage.'],
  ])('says what %s means, and restores nothing', async (type, message) => {
    opened.recovery.busy.set('RestoreTableToPointInTime', type)
    const { code, out, err } = await operator().run(['restore', '--to', AT, '--as', named('never')])
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain(message)
    const lost = await operator().run(['restore', '--to', AT, '--as', named('never'), '--adopt'])
    expect(lost.err).toContain(`There is no table ${named('never')}.`)
  })

  it('may run twice at once', async () => {
    const command = ['restore', '--to', AT, '--as', named('twice')]
    const reports = await Promise.all([operator().json(command), operator().json(command)])
    expect(reports.map(({ is_new }) => is_new).toSorted()).toEqual([false, true])
    expect(reports.map(({ claims }) => claims).toSorted()).toEqual([0, 1])
    expect((await itemsOf(named('twice'), outboxPartitions())).map(({ sk }) => sk)).toEqual([
      opened.story.unsent.sk,
    ])
    expect(await lastIdsOf(opened, named('twice'))).toEqual(
      (await lastIdsOf(opened, opened.world.tableName)).map(last => last + MARGIN),
    )
  })
})
