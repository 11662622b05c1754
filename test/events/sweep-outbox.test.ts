// Sweeps the outbox: unreadable rows and a queue that refuses messages do not delay other rows.
import { beforeEach, describe, expect, it } from 'vitest'
import { listRows } from '../../shared/events/left-rows.ts'
import { use } from '../world/use.ts'
import {
  inOneShard,
  mail,
  NOW_MS,
  openOutbox,
  rows,
  type SweepOptions,
  tidy,
  unknownKind,
  unknownQueue,
  unsent,
  withoutBody,
  withoutGroup,
} from './outbox-world.ts'

const outbox = use(openOutbox)
beforeEach(() => outbox.begin())

describe('sweepOutbox', () => {
  it('sends all other rows although some are unreadable and one queue refuses messages', async () => {
    await outbox.put([unknownQueue(1), unknownKind(2), withoutBody(3), withoutGroup()])
    await outbox.put([...rows(30, mail), ...rows(30, tidy)])
    const { swept, logged } = await outbox.sweep({ refusing: ['tidy'] })
    expect(swept).toEqual({ sent: 30, left: 34 })
    expect(outbox.visible('mail')).toBe(30)
    expect(await listRows(outbox.table)).toHaveLength(34)
    const named = logged.flatMap(({ rows: ofLine }) => (Array.isArray(ofLine) ? ofLine : []))
    expect(named).toContainEqual({
      id: expect.any(String),
      queue: 'tomorrow',
      problem: 'queue: invalid_value',
    })
    expect(named).toContainEqual({ id: expect.any(String), queue: 'mail', problem: 'kind: invalid_union' })
    expect(logged).toContainEqual(
      expect.objectContaining({ message: 'a queue refused outbox rows', queue: 'tidy' }),
    )
  })

  it('sends no row twice although another queue refuses messages', async () => {
    await outbox.put([...rows(5, mail), ...rows(5, tidy)])
    for (let n = 0; n < 3; n++) await outbox.sweep({ refusing: ['tidy'] })
    expect(outbox.visible('mail')).toBe(5)
    expect(await outbox.sweep()).toMatchObject({ swept: { sent: 5, left: 0 } })
    expect(outbox.visible('tidy')).toBe(5)
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
    expect(outbox.visible('mail')).toBe(10)
  })

  it('reaches the rows behind hundreds that cannot be sent', async () => {
    const unreadable = Array.from({ length: 230 }, (_, n) => unknownKind(n))
    await outbox.put(inOneShard([...unreadable, ...rows(230, tidy), ...rows(3, mail, NOW_MS - 110_000)]))
    const { swept } = await outbox.sweep({ refusing: ['tidy'] })
    expect(swept).toEqual({ sent: 3, left: 460 })
    expect(outbox.visible('mail')).toBe(3)
  })

  it('leaves young rows to the request that wrote them', async () => {
    await outbox.put(rows(3, mail, NOW_MS - 59_000))
    expect((await outbox.sweep()).swept.sent).toBe(0)
    expect(await listRows(outbox.table)).toHaveLength(3)
  })

  it('needs at most a call for every four rows of a long backlog, so that 100,000 leave in minutes', async () => {
    const count = 1_600
    await outbox.put(rows(count, mail).map(unsent))
    let calls = 0
    const counting: SweepOptions['through'] = sender => ({
      send: async (messages, timeoutMs) => {
        calls += Math.ceil(messages.length / 10)
        return await sender.send(messages, timeoutMs)
      },
    })
    const { result, used } = await outbox.measure(() => outbox.sweep({ through: counting }))
    expect(result.swept).toEqual({ sent: count, left: 0 })
    expect(calls + used.calls).toBeLessThan(count / 4)
  })

  it('starts no page after its deadline, and leaves the rows to the next sweep', async () => {
    await outbox.put(rows(40, mail))
    expect((await outbox.sweep({ hasTime: () => false })).swept).toEqual({ sent: 0, left: 0 })
    expect((await outbox.sweep()).swept.sent).toBe(40)
  })

  it('keeps an unreadable row, and sends it once it can be read', async () => {
    await outbox.put([unknownKind(1), unknownQueue(2)])
    expect((await outbox.sweep()).swept).toEqual({ sent: 0, left: 2 })
    // Simulates a running version that knows the kind.
    for (const item of await outbox.dump()) {
      if (item.queue === 'mail') await outbox.put([{ ...item, body: mail(7).body }])
    }
    expect((await outbox.sweep()).swept).toEqual({ sent: 1, left: 1 })
    expect(outbox.visible('mail')).toBe(1)
  })

  it('sends rows that are marked as unsent again if it could not delete them', async () => {
    await outbox.put(rows(3, mail).map(unsent))
    await sweepWithoutDeleting()
    await outbox.sweep()
    expect(outbox.visible('mail')).toBe(6)
    expect(await listRows(outbox.table)).toEqual([])
  })

  it('sends other rows that it could not delete only once, since their messages wait in the queue', async () => {
    await outbox.put(rows(3, mail))
    await sweepWithoutDeleting()
    await outbox.sweep()
    expect(outbox.visible('mail')).toBe(3)
    expect(await listRows(outbox.table)).toHaveLength(3)
  })
})

async function sweepWithoutDeleting() {
  outbox.faults.fail({ operation: 'BatchWriteItem', at: 'before', error: 'ValidationException' })
  await expect(outbox.sweep()).rejects.toThrow('ValidationException')
  outbox.faults.repair()
}
