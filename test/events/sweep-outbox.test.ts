// Sweeps the outbox: unreadable rows and a queue that refuses messages do not delay other rows.
import { beforeEach, describe, expect, it } from 'vitest'
import { outboxRow } from '../../shared/events/outbox.ts'
import { withTally } from '../../shared/metrics/tally.ts'
import { use } from '../support/use.ts'
import {
  due,
  inOneShard,
  mail,
  NOW_MS,
  OLD_MS,
  openOutbox,
  rows,
  type SweepOptions,
  unreadable,
} from './outbox-world.ts'

const outbox = use(openOutbox)
beforeEach(() => outbox.begin())

describe('sweepOutbox', () => {
  it('sends all other rows although some are unreadable and one queue refuses messages', async () => {
    await outbox.put((['unknownQueue', 'unknownKind', 'cutOff', 'wrongTime'] as const).map(unreadable))
    await outbox.put([...rows(30, mail), ...rows(30, due)])
    const { swept, logged, counted } = await withTally(async counted => {
      return { counted, ...(await outbox.sweep({ refusing: ['events'] })) }
    })
    expect(swept).toEqual({ sent: 30, left: 34 })
    expect(counted).toEqual({ OutboxLeft: 34 })
    expect(outbox.visible('jobs')).toBe(30)
    expect(await outbox.dump()).toHaveLength(34)
    const line = { message: 'an outbox row cannot be read', id: expect.any(String) }
    expect(logged).toContainEqual({ ...line, queue: 'tomorrow', problem: 'queue: invalid_value' })
    expect(logged).toContainEqual({ ...line, queue: 'jobs', problem: 'the row: invalid_union' })
    expect(logged).toContainEqual({ ...line, queue: 'jobs', problem: 'body: no JSON' })
    expect(logged).toContainEqual(expect.objectContaining({ message: 'outbox rows could not be sent' }))
  })

  it('deletes the accepted rows of a batch and sends only the refused ones again', async () => {
    await outbox.put(inOneShard(rows(10, mail)))
    const half: SweepOptions['through'] = sender => ({
      send: async (messages, timeoutMs) => {
        const accepted = messages.filter((_, n) => n % 2 === 0)
        await sender.send(accepted, timeoutMs)
        return messages.map(message => ({ ok: accepted.includes(message) }))
      },
    })
    const { swept } = await outbox.sweep({ through: half })
    expect(swept).toEqual({ sent: 5, left: 5 })
    expect((await outbox.sweep()).swept).toEqual({ sent: 5, left: 0 })
    expect(outbox.visible('jobs')).toBe(10)
  })

  it('reaches the rows behind hundreds that cannot be sent', async () => {
    const unknown = Array.from({ length: 230 }, () => unreadable('unknownKind'))
    await outbox.put(inOneShard([...unknown, ...rows(230, due), ...rows(3, mail, NOW_MS - 110_000)]))
    const { swept } = await outbox.sweep({ refusing: ['events'] })
    expect(swept).toEqual({ sent: 3, left: 460 })
    expect(outbox.visible('jobs')).toBe(3)
  })

  it('starts no page after its deadline, and leaves the rows to the next sweep', async () => {
    await outbox.put(rows(40, mail))
    expect((await outbox.sweep({ hasTime: () => false })).swept).toEqual({ sent: 0, left: 0 })
    expect((await outbox.sweep()).swept.sent).toBe(40)
  })

  it('keeps an unreadable row, and sends it once it can be read', async () => {
    await outbox.put([unreadable('unknownKind'), unreadable('unknownQueue')])
    expect((await outbox.sweep()).swept).toEqual({ sent: 0, left: 2 })
    // Simulates a running version that knows the kind.
    for (const item of await outbox.dump()) {
      if (item.queue === 'jobs') await outbox.put([{ ...item, body: JSON.stringify(mail(7).body) }])
    }
    expect((await outbox.sweep()).swept).toEqual({ sent: 1, left: 1 })
    expect(outbox.visible('jobs')).toBe(1)
  })

  it('gives a message that is not due yet the rest of its delay', async () => {
    await outbox.put([outboxRow({ ...due(1), delaySeconds: 600 }, OLD_MS)])
    expect((await outbox.sweep()).swept.sent).toBe(1)
    expect(outbox.visible('events')).toBe(0)
  })
})
