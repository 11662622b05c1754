// Sends outbox rows in the request that wrote them, and marks those that no queue accepted.
import { beforeEach, describe, expect, it } from 'vitest'
import { parseBody } from '../../shared/events/message.ts'
import { type OutboxRow, outboxRow, relay } from '../../shared/events/outbox.ts'
import type { Sender } from '../../shared/events/sender.ts'
import type { Table } from '../../shared/table/client.ts'
import { use } from '../world/use.ts'
import { mail, NOW_MS, openOutbox, tidy } from './outbox-world.ts'

const outbox = use(openOutbox)
beforeEach(() => outbox.begin())

let rows: OutboxRow[]
beforeEach(async () => {
  rows = [mail(1), tidy(2), mail(3)].map(message => outboxRow(message, NOW_MS))
  await outbox.put(rows)
})

/** Returns what was logged, the rows that are marked, and the time limit of each write. */
async function relayThrough(send: Sender['send']) {
  const [logged, timeouts]: [unknown[], unknown[]] = [[], []]
  const write: Table['write'] = (action, timeoutMs) => {
    timeouts.push(timeoutMs)
    return outbox.table.write(action, timeoutMs)
  }
  const table = { ...outbox.table, write, removeMany: () => Promise.reject(new Error('Nothing is deleted.')) }
  await relay({ table, sender: { send }, log: problem => logged.push(problem) }, { rows }, NOW_MS)
  const marked = (await outbox.dump()).filter(({ unsent }) => unsent === true).map(({ sk }) => sk)
  return { logged, timeouts, marked: marked.toSorted() }
}

function ids(of: { sk: string }[]) {
  return of.map(({ sk }) => sk).toSorted()
}

describe('relay', () => {
  it('makes no call to the table if the queues accept all messages', async () => {
    const relayed = await relayThrough(async all => all.map(() => ({ ok: true })))
    expect(relayed).toEqual({ logged: [], timeouts: [], marked: [] })
    expect(await outbox.dump()).toHaveLength(3)
  })

  it('marks only the rows that a queue refused', async () => {
    const relayed = await relayThrough(async all =>
      all.map(({ queue }) => (queue === 'tidy' ? { ok: false, problem: 'No.' } : { ok: true })),
    )
    const refused = ids(rows.filter(({ queue }) => queue === 'tidy'))
    expect(relayed).toEqual({ logged: ['No.'], timeouts: [1_000], marked: refused })
  })

  it('marks all rows if no queue answers', async () => {
    const { marked } = await relayThrough(() => Promise.reject(new Error('No queue answers.')))
    expect(marked).toEqual(ids(rows))
  })

  it('does not write a row again that a worker has deleted', async () => {
    const [received, ...others] = rows
    await outbox.table.removeMany(received ? [{ pk: received.pk, sk: received.sk }] : [])
    const { logged, marked } = await relayThrough(async all =>
      all.map(() => ({ ok: false, problem: 'Late.' })),
    )
    expect(logged).toEqual(['Late.'])
    expect(marked).toEqual(ids(others))
    expect(await outbox.dump()).toHaveLength(2)
  })

  it('only logs that it could not mark a row', async () => {
    outbox.faults.fail({ operation: 'PutItem', at: 'before', error: 'ValidationException' })
    const { logged } = await relayThrough(async all => all.map(() => ({ ok: false, problem: 'No.' })))
    outbox.faults.repair()
    expect(logged).toEqual(['No.', expect.objectContaining({ name: 'ValidationException' })])
  })

  it('gives the queues and the table a second each', async () => {
    const given: unknown[] = []
    const { timeouts } = await relayThrough(async (all, timeoutMs) => {
      given.push(timeoutMs)
      return all.map(() => ({ ok: false, problem: 'No.' }))
    })
    expect([given, timeouts]).toEqual([[1_000], [1_000, 1_000, 1_000]])
  })
})

describe('a message in its queue', () => {
  it('has the key of its row, and its body as the schema of the queue knows it', async () => {
    await relayThrough(outbox.sender.send)
    const received = [...(await outbox.receive('mail')), ...(await outbox.receive('tidy'))]
    const bodies = received.map(({ body }) => JSON.parse(body))
    expect(ids(bodies.map(({ outbox_row }) => outbox_row))).toEqual(ids(rows))
    const known = bodies.map(body => parseBody(body.kind === 'list' ? 'tidy' : 'mail', body))
    expect(known).toEqual(expect.arrayContaining(rows.map(({ body }) => body)))
  })

  it('without a row, as another version or a worker sends it, has its body and the number of its schema', async () => {
    await outbox.sender.send([tidy(1)])
    const [message] = await outbox.receive('tidy')
    expect(JSON.parse(message?.body ?? '')).toEqual({ ...tidy(1).body, schema: 1 })
  })
})
