// The sweep sends messages that were left in the outbox, and deletes unused parts of large texts.
import { describe, expect, it } from 'vitest'
import type { Message, QueueName } from '../../shared/events/message.ts'
import { outboxRow } from '../../shared/events/outbox.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { readIndexState } from '../../shared/search/index-state.ts'
import { saveManifest } from '../../shared/search/manifest.ts'
import { startSegment } from '../../shared/search/segment-writer.ts'
import { saveBlob } from '../../shared/table/blob.ts'
import { blobPartKey, leftoverKey, replacedDocKey, segmentItemKey } from '../../shared/table/design.ts'
import { firstAttempt } from '../../shared/webhooks/delivery.ts'
import { until } from '../support/until.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

const UNKNOWN_ID = 4711
const EVENT = {
  kind: 'event' as const,
  id: 'evt_left',
  event: 'test.ping',
  occurred_at: '2026-01-01T00:00:00+00:00',
  happened_ms: 1,
  request_id: 'test',
  data: {},
}
/** A message for each queue, about records that do not exist. */
const LEFT: { [Name in QueueName]: Extract<Message, { queue: Name }> } = {
  events: { queue: 'events', body: EVENT },
  deliveries: {
    queue: 'deliveries',
    body: { attempts: [firstAttempt({ id: UNKNOWN_ID, owner_id: UNKNOWN_ID }, EVENT.id)], event: EVENT },
  },
  jobs: { queue: 'jobs', body: { kind: 'list', list: 'category:0' } },
  index: { queue: 'index', group: String(UNKNOWN_ID), body: {} },
}

describe('the sweep', () => {
  it('sends the rows of every queue and deletes them', async () => {
    const rows = Object.values(LEFT).map(message => outboxRow(message, Date.now() - 60_000))
    for (const Item of rows) await world.table.write({ Put: { Item } })
    await world.runSchedule('sweep')
    expect(await world.table.findMany(rows.map(({ pk, sk }) => ({ pk, sk })))).toEqual([])
    await until('the queues to be empty', () => world.isIdle())
    for (const name of ['Events', 'Deliveries', 'Index', 'Jobs']) {
      expect([name, world.queueDepth(`${name}DeadLetters`).visible]).toEqual([name, 0])
    }
  })

  it('deletes the parts of a text that no record has claimed when they are due', async () => {
    const due = await saveBlob(world.table, Buffer.alloc(400_000), Date.now() - 1)
    const later = await saveBlob(world.table, Buffer.alloc(10), Date.now() + 60_000)
    await world.runSchedule('sweep')
    const keysOf = ({ name, due_ms }: typeof due, parts: number) => [
      leftoverKey(due_ms, name),
      ...Array.from({ length: parts }, (_, n) => blobPartKey(name, n)),
    ]
    expect(await world.table.findMany(keysOf(due, 2))).toEqual([])
    expect(await world.table.findMany(keysOf(later, 1))).toHaveLength(2)
  })

  it('wakes the index worker, which deletes what a killed run was writing', async () => {
    const { manifest } = await readIndexState(world.table)
    const { name } = await startSegment(world.table, manifest)
    const item = segmentItemKey(name, 0)
    await world.table.write({ Put: { Item: item } })
    await world.runSchedule('sweep')
    await until('the end of the segment', async () => (await world.table.findMany([item])).length === 0)
  })

  it('wakes the index worker, which deletes the words that a post had before a change', async () => {
    const { id } = await world.create.livePost()
    const change = { token: world.admin, params: { id }, body: { title: 'Other words' } }
    await world.call(adminPosts.changePost, change)
    const { markers } = await readIndexState(world.table)
    const replaced = markers.flatMap(({ id, previous }) => (previous ? [replacedDocKey(id, previous)] : []))
    expect(await world.table.findMany(replaced)).toHaveLength(1)
    await until('the merge', () => world.isIndexed())
    const { manifest } = await readIndexState(world.table)
    const obsolete = manifest?.obsolete.map(one => ({ ...one, at_ms: 0 })) ?? []
    if (manifest) await saveManifest(world.table, manifest, { ...manifest, obsolete })
    await world.runSchedule('sweep')
    await until('their end', async () => (await world.table.findMany(replaced)).length === 0)
    expect(world.hasUsed('index-search: writes DOC')).toBe(true)
  })
})
