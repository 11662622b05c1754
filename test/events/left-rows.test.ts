// Which outbox rows the sweep sends: not those whose messages wait in their queue.
import { beforeEach, describe, expect, it } from 'vitest'
import { listLeftRows, listRows, readEmptyQueues } from '../../shared/events/left-rows.ts'
import { OUTBOX_QUEUES } from '../../shared/events/message.ts'
import { outboxRow } from '../../shared/events/outbox.ts'
import { use } from '../world/use.ts'
import {
  inOneShard,
  mail,
  NOW_MS,
  OLD_MS,
  openOutbox,
  rows,
  tidy,
  unknownKind,
  unsent,
} from './outbox-world.ts'

const outbox = use(openOutbox)
beforeEach(() => outbox.begin())

const MINUTE_MS = 60_000

describe('rows whose messages may be in their queue', () => {
  it('stay while the queue has messages, also those that are unreadable', async () => {
    await outbox.sender.send([mail(0)])
    await outbox.put([...rows(3, mail), ...rows(3, tidy), unknownKind(1)])
    expect((await outbox.sweep()).swept).toEqual({ sent: 3, left: 0 })
    expect([outbox.visible('mail'), outbox.visible('tidy')]).toEqual([1, 3])
    expect(await listRows(outbox.table)).toHaveLength(4)
  })

  it('stay while the queue has a message in flight', async () => {
    await outbox.sender.send([mail(0)])
    await outbox.receive('mail')
    await outbox.put(rows(3, mail))
    expect((await outbox.sweep()).swept.sent).toBe(0)
  })

  it('are sent although another message of the queue is delayed', async () => {
    await outbox.sender.send([{ ...mail(0), delaySeconds: 900 }])
    await outbox.put(rows(3, mail))
    expect((await outbox.sweep()).swept.sent).toBe(3)
  })

  it('stay until a minute after the time to which they are delayed', async () => {
    const delayed = outboxRow({ ...tidy(1), delaySeconds: 600 }, NOW_MS)
    await outbox.put([delayed])
    for (const [minutes, sent] of [
      [5, 0],
      [10.9, 0],
      [11, 1],
    ] as const) {
      const { swept } = await outbox.sweep({ nowMs: NOW_MS + minutes * MINUTE_MS })
      expect([minutes, swept.sent]).toEqual([minutes, sent])
    }
  })

  it('stay while the queue does not answer, unless they are marked as unsent', async () => {
    await outbox.put([...rows(3, mail), ...rows(2, mail).map(unsent)])
    expect((await outbox.sweep({ silent: ['mail'] })).swept.sent).toBe(2)
    expect((await outbox.sweep({ silent: ['mail'] })).swept.sent).toBe(0)
  })

  it('are sent after 15 minutes, at most 100 of a queue in one sweep, because few of them are lost', async () => {
    await outbox.sender.send([mail(0)])
    await outbox.put([...rows(130, mail), ...rows(20, tidy)])
    await outbox.sender.send([tidy(0)])
    const at = (minutes: number) => outbox.sweep({ nowMs: NOW_MS + minutes * MINUTE_MS })
    expect((await at(12.9)).swept.sent).toBe(0)
    expect((await at(14)).swept.sent).toBe(120)
    expect((await at(15)).swept.sent).toBe(30)
    expect([outbox.visible('mail'), outbox.visible('tidy')]).toEqual([131, 21])
    expect(await listRows(outbox.table)).toEqual([])
  })

  it('are sent to an empty queue although another queue has a long backlog before them', async () => {
    await outbox.sender.send([mail(0)])
    await outbox.put(inOneShard([...rows(230, mail), ...rows(3, tidy, NOW_MS - 100_000)]))
    expect((await outbox.sweep()).swept.sent).toBe(3)
    expect(outbox.visible('tidy')).toBe(3)
  })

  it('are marked as unsent if the queue refuses them, and then sent although it is not empty', async () => {
    await outbox.put(rows(3, tidy))
    await outbox.sweep({ refusing: ['tidy'] })
    await outbox.sender.send([tidy(9)])
    expect((await outbox.sweep()).swept.sent).toBe(3)
  })

  it('are not listed as left, unless they are marked or their queue is empty', async () => {
    await outbox.sender.send([mail(0)])
    await outbox.put([...rows(3, mail), ...rows(2, mail, NOW_MS - 50_000).map(unsent)])
    await outbox.put([...rows(1, tidy), ...rows(1, tidy, NOW_MS - 50_000)])
    const left = await listLeftRows(outbox.table, NOW_MS, await readEmptyQueues(outbox.depthOf))
    expect(left).toEqual([
      { queue: 'tidy', sinceMs: OLD_MS },
      { queue: 'mail', sinceMs: NOW_MS - 50_000 },
      { queue: 'mail', sinceMs: NOW_MS - 50_000 + 1 },
    ])
  })
})

describe('rows that are marked as unsent', () => {
  it('are sent by the next sweep, however young they are and whatever is in the queue', async () => {
    await outbox.sender.send([mail(0)])
    await outbox.put(rows(3, mail, NOW_MS - 1_000).map(unsent))
    expect((await outbox.sweep()).swept.sent).toBe(3)
  })
})

describe('the sweep of an outbox without old rows', () => {
  it('asks no queue for its depth', async () => {
    await outbox.put(rows(3, mail, NOW_MS - 50_000))
    const asked: string[] = []
    await outbox.sweep({ onDepth: queue => asked.push(queue) })
    expect(asked).toEqual([])
    await outbox.sweep({ onDepth: queue => asked.push(queue), nowMs: NOW_MS + MINUTE_MS })
    expect(asked.toSorted()).toEqual(OUTBOX_QUEUES.toSorted())
  })
})
