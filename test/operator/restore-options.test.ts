// `operator restore` as a command: tables that AWS Backup restored, a lost table, wrong and busy tables.
import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  RestoreTableToPointInTimeCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clientSettings } from '../../infra/local/account.ts'
import { MARGIN } from '../../infra/operator/restore/counters.ts'
import { deliveriesPartition, outboxPartitions } from '../../shared/table/design.ts'
import { lastId, nextIds } from '../../shared/table/next-id.ts'
import { newTable } from '../world/new-table.ts'
import { dumpAt } from '../world/table.ts'
import { use } from '../world/use.ts'
import { operatorOn } from './operator-world.ts'
import { AT_MS, lastIdsOf, openRestoreStory, stageWith } from './restore-story.ts'

const opened = use(openRestoreStory)
const AT = new Date(AT_MS).toISOString()
const NOON_MS = AT_MS + 3_600_000

/** Tables of other files are in the same database. */
function named(word: string): string {
  return `${opened.world.tableName}-${word}`
}

function operator(tableName?: string) {
  return operatorOn(stageWith(opened, tableName), () => NOON_MS)
}

function clientOf(endpoint: string): DynamoDBClient {
  const client = new DynamoDBClient(clientSettings(endpoint))
  onTestFinished(() => client.destroy())
  return client
}

/** As the owner does it in AWS. */
async function restoreInAws(name: string): Promise<void> {
  await clientOf(opened.endpoint).send(
    new RestoreTableToPointInTimeCommand({
      SourceTableName: opened.world.tableName,
      TargetTableName: name,
      RestoreDateTime: new Date(AT_MS),
    }),
  )
}

async function itemsOf(name: string, partitions: string[]) {
  const items = await dumpAt(opened.world.endpoint, name)
  return items.filter(({ pk }) => partitions.includes(pk))
}

describe('restore --adopt', () => {
  it('takes a table of AWS Backup, and fences it as one of point-in-time recovery', async () => {
    const { world, story } = opened
    // AWS does not say of this table that it was restored.
    const adopted = await newTable()
    const TableName = adopted.tableName
    onTestFinished(async () => {
      await adopted.client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }))
      await adopted.stop()
    })
    await adopted.table.putMany(story.content)
    const command = ['restore', '--to', AT, '--as', adopted.tableName]
    const refused = await operator().run(command)
    expect(refused).toMatchObject({ code: 1, out: '' })
    expect(refused.err).toContain('If AWS Backup did, pass --adopt.')
    expect(await adopted.dump()).toHaveLength(story.content.length)

    await operator().json(['restore', '--to', AT, '--as', named('whole')])
    const report = await operator().json([...command, '--adopt'])
    expect(report).toMatchObject({
      is_new: false,
      claims: 1,
      sent: { events: 1 },
      announced: [story.announcedId],
      not_repaired: 0,
    })
    expect(await lastIdsOf(opened, adopted.tableName)).toEqual(await lastIdsOf(opened, named('whole')))
    expect((await itemsOf(adopted.tableName, outboxPartitions())).map(({ sk }) => sk)).toEqual([
      story.unsent.sk,
    ])
    expect(await itemsOf(adopted.tableName, [deliveriesPartition(story.webhookId)])).toHaveLength(1)
    expect(await world.dump()).toEqual(opened.today)
  })

  it('needs a table that exists', async () => {
    expect(await operator().run(['restore', '--to', AT, '--adopt'])).toMatchObject({ code: 2 })
    const missing = await operator().run(['restore', '--to', AT, '--as', 'nowhere', '--adopt'])
    expect(missing).toMatchObject({ code: 1, out: '' })
    expect(missing.err).toContain('There is no table nowhere. Restore a backup to it in AWS first.')
  })
})

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
  it('refuses a table from another moment, and names its moment', async () => {
    await restoreInAws(named('earlier'))
    const before = await itemsOf(named('earlier'), outboxPartitions())
    const { code, err } = await operator().run([
      'restore',
      '--to',
      '2026-11-01T11:30:00Z',
      '--as',
      named('earlier'),
    ])
    expect(code).toBe(1)
    expect(err).toContain('is from another moment: pass --to 2026-11-01T11:00:00+00:00')
    expect(await itemsOf(named('earlier'), outboxPartitions())).toEqual(before)
  })

  it('refuses a table that was restored from another one, or is not of this service', async () => {
    await restoreInAws(named('second'))
    const other = await newTable()
    onTestFinished(() => other.stop())
    const wrongSource = ['restore', '--to', AT, '--as', named('second'), '--source', other.tableName]
    expect((await operator().run(wrongSource)).err).toContain(`pass --source ${opened.world.tableName}.`)

    const TableName = `foreign-${other.tableName}`
    const id = { AttributeName: 'id' } as const
    await clientOf(opened.world.endpoint).send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ ...id, KeyType: 'HASH' }],
        AttributeDefinitions: [{ ...id, AttributeType: 'S' }],
      }),
    )
    onTestFinished(async () => {
      await opened.world.client.send(new DeleteTableCommand({ TableName }))
    })
    const foreign = await operator().run(['restore', '--to', AT, '--as', TableName, '--adopt'])
    expect(foreign.err).toContain(`${TableName} is not a table of this service.`)
  })

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
