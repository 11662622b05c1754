// Sends the messages of a change after its commit, and deletes their rows.
import { beforeEach, describe, expect, it } from 'vitest'
import { type Outbox, outboxOf, relay } from '../../shared/events/outbox.ts'
import type { Sender } from '../../shared/events/sqs.ts'
import { INDEX_MESSAGE } from '../../shared/search/index-actions.ts'
import type { Table } from '../../shared/table/client.ts'
import { use } from '../support/use.ts'
import { due, mail, NOW_MS, openOutbox } from './outbox-world.ts'

const outbox = use(openOutbox)
beforeEach(() => outbox.begin())

let change: Outbox
beforeEach(async () => {
  change = outboxOf([mail(1), due(2), mail(3)], NOW_MS)
  await outbox.put(change.rows)
})

/** Returns what was logged, the time limit of each delete, and the queues of the rows that are left. */
async function relayThrough(send: Sender['send'], of = change) {
  const [logged, timeouts]: [unknown[], unknown[]] = [[], []]
  const removeMany: Table['removeMany'] = (keys, timeoutMs) => {
    timeouts.push(timeoutMs)
    return outbox.table.removeMany(keys, timeoutMs)
  }
  const table = { ...outbox.table, removeMany }
  await relay({ table, sender: { send }, log: problem => logged.push(problem), nowMs: NOW_MS }, of)
  const left = (await outbox.dump()).map(({ queue }) => String(queue))
  return { logged, timeouts, left: left.toSorted() }
}

const acceptAll: Sender['send'] = async all => all.map(() => ({ ok: true }))
const refuseAll: Sender['send'] = async all => all.map(() => ({ ok: false, problem: 'No.' }))

describe('relay', () => {
  it('leaves only the rows that a queue refused', async () => {
    const { logged, left } = await relayThrough(async all =>
      all.map(({ queue }) => (queue === 'events' ? { ok: false, problem: 'No.' } : { ok: true })),
    )
    expect({ logged, left }).toEqual({ logged: ['No.'], left: ['events'] })
  })

  it('gives the queues a second', async () => {
    const given: unknown[] = []
    await relayThrough((all, timeoutMs) => {
      given.push(timeoutMs)
      return refuseAll(all)
    })
    expect(given).toEqual([1_000])
  })

  it('makes no call without messages', async () => {
    const fail: Sender['send'] = () => Promise.reject(new Error('Nothing is sent.'))
    expect(await relayThrough(fail, outboxOf([], NOW_MS))).toMatchObject({ logged: [], timeouts: [] })
  })

  it('sends a message for the index worker, which has no row', async () => {
    const signal = outboxOf([INDEX_MESSAGE], NOW_MS)
    expect(signal.rows).toEqual([])
    const sent: unknown[] = []
    await relayThrough(all => {
      sent.push(...all)
      return acceptAll(all)
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
