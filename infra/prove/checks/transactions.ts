// The largest transaction of the service, and many writers of one item, on the real table.
import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import type { Table } from '../../../shared/table/client.ts'
import type { Key } from '../../../shared/table/key.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import { type Check, held, heldUnless } from '../check.ts'
import type { ProvedStage } from '../stage.ts'

/** A change of a post with twelve other categories. */
const ACTIONS = 91
const TIMES = 10
const WRITERS = [8, 32, 64]
/** Retries in a request end then. */
const LONGEST_MS = 8_000
/** Should they not be deleted, the table deletes them. */
const EXPIRES_AFTER_SECONDS = 3_600

const Counter = z.object({ total: z.number() })

/** Keys of no kind of record: the service neither reads nor writes them. */
function keysOf(count: number): Key[] {
  const run = randomUUID()
  return Array.from({ length: count }, (_, n) => ({ pk: `PROVE#${run}#${n}`, sk: 'PROVE' }))
}

function addOne(key: Key) {
  const expires = Math.floor(Date.now() / 1000) + EXPIRES_AFTER_SECONDS
  return {
    Update: {
      Key: key,
      UpdateExpression: 'SET expires = :expires ADD #total :one',
      ExpressionAttributeNames: { '#total': 'total' },
      ExpressionAttributeValues: { ':one': 1, ':expires': expires },
    },
  }
}

function takeKeys({ later, target }: ProvedStage, count: number): Key[] {
  const keys = keysOf(count)
  later(`${count} items such as ${keys[0]?.pk}`, () => target.table.removeMany(keys))
  return keys
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await run()
  return Math.round(performance.now() - startedMs)
}

export const LARGE_TRANSACTION_CHECK: Check = {
  name: `The time of a transaction of ${ACTIONS} actions`,
  did: `${TIMES} transactions, one after another, and as many reads for comparison, from this machine.`,
  expected: `Each ends within ${LONGEST_MS / 1000} s, as a function would need it.`,
  run: async stage => {
    const { table } = stage.target
    const keys = takeKeys(stage, ACTIONS)
    const writes: number[] = []
    const reads: number[] = []
    for (let n = 0; n < TIMES; n++) {
      writes.push(await timed(() => table.transact(keys.map(addOne))))
      reads.push(await timed(() => table.findMany(keys.slice(0, 1))))
    }
    const found = `median ${medianOf(writes)} ms, longest ${longestOf(writes)} ms; a read takes ${medianOf(reads)} ms`
    return heldUnless(longestOf(writes) > LONGEST_MS ? [found] : [], found)
  },
}

export const WRITERS_CHECK: Check = {
  name: `Conflicts of ${WRITERS.join(', ')} writers`,
  did: 'So many transactions at once, each adding one to the same item, with the retries of the service.',
  expected: 'None is refused, and the item has counted each of them once.',
  run: async stage => {
    const lines: string[] = []
    const wrong: string[] = []
    for (const writers of WRITERS) {
      const { line, problem } = await contend(stage, writers)
      lines.push(line)
      if (problem) wrong.push(`${line}: ${problem}`)
    }
    return wrong.length > 0 ? heldUnless(wrong, '') : held(lines.join('; '))
  },
}

async function contend(stage: ProvedStage, writers: number): Promise<{ line: string; problem?: string }> {
  const { table } = stage.target
  const [shared, ...own] = takeKeys(stage, writers + 1)
  if (!shared) throw new Error('There is no key.')
  let conflicts = 0
  const ended = await Promise.allSettled(
    own.map(key => timed(() => write(table, [shared, key], () => conflicts++))),
  )
  const times = ended.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
  const refused = writers - times.length
  const total = (await table.find(shared, Counter))?.total
  const line = `${writers} writers: ${conflicts} conflicts, the longest took ${longestOf(times)} ms`
  if (refused > 0) return { line, problem: `${refused} were refused.` }
  return total === writers ? { line } : { line, problem: `the item counted ${total}.` }
}

/** One transaction, again after each conflict. */
async function write(table: Table, keys: Key[], onConflict: () => void): Promise<void> {
  const actions = keys.map(addOne)
  const renew = () => {
    onConflict()
    return actions
  }
  await retryOnConflict(() => table.transact(actions, renew))
}

function longestOf(times: number[]): number {
  return times.reduce((longest, time) => Math.max(longest, time), 0)
}

function medianOf(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
}
