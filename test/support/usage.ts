// Measures the use of DynamoDB: sequential round trips and consumed units.
import * as z from 'zod/mini'
import type { TableClient } from '../../shared/table/client.ts'

export type Usage = { calls: number; roundTrips: number; readUnits: number; writeUnits: number }
type Call = { name: string; startedMs: number; endedMs: number; units: number }

const READS = new Set(['GetItem', 'BatchGetItem', 'Query'])
const capacity = z.object({ CapacityUnits: z.number() })
const answered = z.object({ ConsumedCapacity: z.optional(z.union([capacity, z.array(capacity)])) })

/** Measures one function at a time, by the calls of watched clients and calls that a test notes itself. */
export function openCounter() {
  let calls: Call[] = []
  let round: Round = call => call()

  let underWay: Promise<unknown>[] = []

  const noteCall = async <T>(
    name: string,
    call: () => Promise<T>,
    unitsIn: (result: T) => number,
  ): Promise<T> => {
    const startedMs = performance.now()
    const result = await round(call)
    calls.push({ name, startedMs, endedMs: performance.now(), units: unitsIn(result) })
    return result
  }

  /** A call counts from its start on: a request need not wait for it. */
  const note: typeof noteCall = (name, call, unitsIn) => {
    const noting = noteCall(name, call, unitsIn)
    underWay.push(noting)
    return noting
  }

  const watch = ({ call, destroy }: TableClient): TableClient => ({
    call: (operation, input, options) => {
      const measured = { ...input, ReturnConsumedCapacity: 'TOTAL' }
      return note(operation, () => call(operation, measured, options), unitsOfAnswer)
    },
    destroy,
  })

  const measure = async <T>(run: () => Promise<T>): Promise<{ result: T; used: Usage }> => {
    calls = []
    underWay = []
    round = openRound()
    try {
      const result = await run()
      await Promise.allSettled(underWay)
      return { result, used: usedBy(calls) }
    } finally {
      round = call => call()
    }
  }
  return { note, watch, measure }
}

type Round = <T>(call: () => Promise<T>) => Promise<T>

/** Makes concurrent calls end together, so that the count does not depend on which of them is faster. */
function openRound(): Round {
  let underWay = 0
  let ended = Promise.withResolvers<void>()
  return async call => {
    underWay++
    try {
      return await call()
    } finally {
      underWay--
      const { promise, resolve } = ended
      if (underWay === 0) {
        ended = Promise.withResolvers<void>()
        resolve()
      }
      await promise
    }
  }
}

function unitsOfAnswer(answer: object): number {
  const { ConsumedCapacity = [] } = answered.parse(answer)
  return [ConsumedCapacity].flat().reduce((sum, capacity) => sum + capacity.CapacityUnits, 0)
}

function usedBy(calls: Call[]): Usage {
  return {
    calls: calls.length,
    roundTrips: chainLength(calls),
    readUnits: unitsOf(calls.filter(({ name }) => READS.has(name))),
    writeUnits: unitsOf(calls.filter(({ name }) => !READS.has(name))),
  }
}

function unitsOf(calls: Call[]): number {
  return calls.reduce((sum, { units }) => sum + units, 0)
}

/** The length of the longest chain of calls in which each began after the previous one had ended. */
export function chainLength(calls: Pick<Call, 'startedMs' | 'endedMs'>[]): number {
  let length = 0
  let freeAtMs = Number.NEGATIVE_INFINITY
  for (const { startedMs, endedMs } of calls.toSorted((a, b) => a.endedMs - b.endedMs)) {
    if (startedMs < freeAtMs) continue
    length++
    freeAtMs = endedMs
  }
  return length
}
