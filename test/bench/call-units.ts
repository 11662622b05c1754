// An interceptor that counts the calls of each function to the table, and the units that they consume.
import * as z from 'zod/mini'
import type { Answer, Call, Interceptor } from '../../infra/local/faults/call.ts'

export type CallCount = { calls: number; readUnits: number; writeUnits: number; conflicts: number }

const READS = new Set(['GetItem', 'BatchGetItem', 'Query'])
const Capacity = z.object({ CapacityUnits: z.number() })
const WithCapacity = z.object({ ConsumedCapacity: z.optional(z.union([Capacity, z.array(Capacity)])) })

export function openCallCounter() {
  const counts = new Map<string, CallCount>()
  const interceptor: Interceptor = async (call, next) => {
    if (call.service !== 'dynamodb') return await next(call)
    const answer = await next(askingForUnits(call))
    add(counts, call, answer)
    return answer
  }
  /** The sum over the functions of these names (as in functions/), or over all functions. */
  const of = (...names: string[]): CallCount => {
    const ids = names.map(name => name.replaceAll('-', ''))
    const all = [...counts].filter(([id]) => ids.length === 0 || ids.some(prefix => id.startsWith(prefix)))
    const sum = (member: keyof CallCount) => all.reduce((total, [, count]) => total + count[member], 0)
    return {
      calls: sum('calls'),
      readUnits: sum('readUnits'),
      writeUnits: sum('writeUnits'),
      conflicts: sum('conflicts'),
    }
  }
  return { interceptor, of, clear: () => counts.clear() }
}

function askingForUnits(call: Call): Call {
  const input: unknown = JSON.parse(call.body.toString())
  return { ...call, body: Buffer.from(JSON.stringify({ ...Object(input), ReturnConsumedCapacity: 'TOTAL' })) }
}

function add(counts: Map<string, CallCount>, call: Call, { status, body }: Answer): void {
  const count = counts.get(call.accessKeyId) ?? { calls: 0, readUnits: 0, writeUnits: 0, conflicts: 0 }
  counts.set(call.accessKeyId, count)
  count.calls++
  if (status !== 200) {
    count.conflicts++
    return
  }
  const { ConsumedCapacity = [] } = WithCapacity.parse(JSON.parse(body.toString()))
  const units = [ConsumedCapacity].flat().reduce((sum, capacity) => sum + capacity.CapacityUnits, 0)
  count[READS.has(call.operation) ? 'readUnits' : 'writeUnits'] += units
}
