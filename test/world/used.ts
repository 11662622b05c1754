// What a piece of work asks of DynamoDB: sequential round trips and consumed units.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { z } from 'zod'

export type Used = { calls: number; roundTrips: number; readUnits: number; writeUnits: number }
type Call = { name: string; startedMs: number; endedMs: number; units: number }

const READS = new Set(['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand'])
const capacity = z.object({ CapacityUnits: z.number() })
const answered = z.object({ ConsumedCapacity: z.union([capacity, z.array(capacity)]).optional() })

/** Watches a client; the answer measures one piece of work at a time. */
export const countCalls = (client: DynamoDBClient) => {
  let calls: Call[] = []
  client.middlewareStack.add(
    (next, context) => async args => {
      const startedMs = performance.now()
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } })
      const { ConsumedCapacity = [] } = answered.parse(result.output)
      const units = [ConsumedCapacity].flat().reduce((sum, each) => sum + each.CapacityUnits, 0)
      calls.push({ name: context.commandName ?? '', startedMs, endedMs: performance.now(), units })
      return result
    },
    { step: 'initialize', name: 'countCalls' },
  )
  return async <T>(run: () => Promise<T>): Promise<{ result: T; used: Used }> => {
    calls = []
    const result = await run()
    return { result, used: usedBy(calls) }
  }
}

const usedBy = (calls: Call[]): Used => ({
  calls: calls.length,
  roundTrips: chainOf(calls),
  readUnits: unitsOf(calls.filter(({ name }) => READS.has(name))),
  writeUnits: unitsOf(calls.filter(({ name }) => !READS.has(name))),
})

const unitsOf = (calls: Call[]): number => calls.reduce((sum, { units }) => sum + units, 0)

/** The longest chain of calls that each began after the one before had ended. */
const chainOf = (calls: Call[]): number => {
  let length = 0
  let freeAtMs = Number.NEGATIVE_INFINITY
  for (const { startedMs, endedMs } of calls.toSorted((a, b) => a.endedMs - b.endedMs)) {
    if (startedMs < freeAtMs) continue
    length++
    freeAtMs = endedMs
  }
  return length
}
