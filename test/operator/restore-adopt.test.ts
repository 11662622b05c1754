// `operator restore` of tables that AWS has restored: what it takes, and what it refuses.
import { CreateTableCommand, DeleteTableCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb'
import { describe, expect, it, onTestFinished } from 'vitest'
import { deliveriesPartition, outboxPartitions } from '../../shared/table/design.ts'
import { newTable } from '../world/new-table.ts'
import { use } from '../world/use.ts'
import { AT, restoreCommands } from './restore-commands.ts'
import { lastIdsOf, openRestoreStory } from './restore-story.ts'

const opened = use(openRestoreStory)
const { named, operator, restoreInAws, itemsOf } = restoreCommands(opened)

describe('restore --adopt', () => {
  it('takes a table of AWS Backup, and fences it as one of point-in-time recovery', async () => {
    const { world, story } = opened
    // AWS does not say of this table that it was restored.
    const adopted = await newTable()
    const TableName = adopted.tableName
    onTestFinished(async () => {
      await adopted.dynamodb.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false }))
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
    await opened.world.dynamodb.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ ...id, KeyType: 'HASH' }],
        AttributeDefinitions: [{ ...id, AttributeType: 'S' }],
      }),
    )
    onTestFinished(async () => {
      await opened.world.dynamodb.send(new DeleteTableCommand({ TableName }))
    })
    const foreign = await operator().run(['restore', '--to', AT, '--as', TableName, '--adopt'])
    expect(foreign.err).toContain(`${TableName} is not a table of this service.`)
  })
})
