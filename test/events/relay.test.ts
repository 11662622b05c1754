// Sends the messages of a change after its commit, and deletes their rows.
import { beforeEach, describe, expect, it } from 'vitest'
import { type Outbox, outboxOf, relay } from '../../shared/events/outbox.ts'
import type { Sender } from '../../shared/events/sqs.ts'
import { INDEX_MESSAGE } from '../../shared/search/index-actions.ts'
import { use } from '../support/use.ts'
import { due, mail, NOW_MS, openOutbox } from './outbox-world.ts'

const outbox = use(openOutbox)
let change: Outbox
beforeEach(async () => {
  await outbox.begin()
  change = outboxOf([mail(1), due(2), mail(3)], NOW_MS)
  await outbox.put(change.flatMap(({ row }) => row ?? []))
})

/** Returns what was logged, and the queues of the rows that are left. */
async function relayThrough(send: Sender['send'], of = change) {
  const logged: unknown[] = []
  const { table } = outbox
  await relay({ table, sender: { send }, log: problem => logged.push(problem) }, of)
  const left = (await outbox.dump()).map(({ queue }) => String(queue))
  return { logged, left: left.toSorted() }
}

describe('relay', () => {
  it('leaves only the rows that a queue refused, and gives the queues a second', async () => {
    const given: unknown[] = []
    const { logged, left } = await relayThrough(async (all, timeoutMs) => {
      given.push(timeoutMs)
      return all.map(({ queue }) => (queue === 'events' ? { ok: false, problem: 'No.' } : { ok: true }))
    })
    expect({ logged, left, given }).toEqual({ logged: ['No.'], left: ['events'], given: [1_000] })
  })

  it('sends a message for the index worker, which has no row', async () => {
    const signal = outboxOf([INDEX_MESSAGE], NOW_MS)
    expect(signal).toEqual([{ message: INDEX_MESSAGE }])
    const sent: unknown[] = []
    await relayThrough(async all => {
      sent.push(...all)
      return all.map(() => ({ ok: true }))
    }, signal)
    expect(sent).toEqual([INDEX_MESSAGE])
  })
})

describe('a message in its queue', () => {
  it('has its body and the number of its schema', async () => {
    await relayThrough(outbox.sender.send)
    expect(await outbox.receive('events')).toEqual([{ ...due(2).body, schema: 1 }])
    expect(await outbox.receive('jobs')).toHaveLength(2)
  })
})
