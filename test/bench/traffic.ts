// An interceptor that counts the calls of each function to the table and the queues, with their units. It can
// also make each call take longer.
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'
import { OWNER_KEY } from '../../infra/local/account.ts'
import type { Answer, Call, Interceptor } from '../world/faults/call.ts'
import { chainLength } from '../world/usage.ts'
import type { FunctionNames } from './function-names.ts'

export type Traffic = {
  calls: number
  /** Sequential calls: the longest chain in which each began after the one before had ended. */
  rounds: number
  readUnits: number
  writeUnits: number
  failed: number
}
export type TrafficByFunction = Record<string, Traffic>

/** The least time that a call takes, in milliseconds. */
export type Delay = (call: Call) => number

type CountedCall = Omit<Traffic, 'calls' | 'rounds'> & { by: string; startedMs: number; endedMs: number }

const READS = new Set(['GetItem', 'BatchGetItem', 'Query', 'TransactGetItems', 'Scan'])
const Capacity = z.object({ CapacityUnits: z.number() })
const WithCapacity = z.object({ ConsumedCapacity: z.optional(z.union([Capacity, z.array(Capacity)])) })

export function openTraffic(functionOf: FunctionNames) {
  let counted: CountedCall[] = []
  let delayOf: Delay = () => 0
  const interceptor: Interceptor = async (call, next) => {
    // The owner's calls are those of pollers and tools, not of functions.
    if (call.accessKeyId === OWNER_KEY) return await next(call)
    const startedMs = performance.now()
    const [answer] = await Promise.all([next(askingForUnits(call)), pauseFor(delayOf(call))])
    const by = functionOf(call.accessKeyId) ?? call.accessKeyId
    counted.push({ by, startedMs, endedMs: performance.now(), ...unitsOf(call, answer) })
    return answer
  }
  return {
    interceptor,
    setDelay: (delay: Delay) => {
      delayOf = delay
    },
    /** The calls since the last time, by function. */
    take: (): TrafficByFunction => {
      const byFunction = Map.groupBy(counted, ({ by }) => by)
      counted = []
      return Object.fromEntries([...byFunction].map(([name, calls]) => [name, sumOf(calls)]))
    },
  }
}

export const NO_TRAFFIC: Traffic = { calls: 0, rounds: 0, readUnits: 0, writeUnits: 0, failed: 0 }

/** The sum over the functions of these names, or over all of them. Their rounds are added as well. */
export function totalOf(traffic: TrafficByFunction, ...names: string[]): Traffic {
  return Object.entries(traffic)
    .filter(([name]) => names.length === 0 || names.includes(name))
    .reduce((sum, [, own]) => combine(sum, own), NO_TRAFFIC)
}

function combine(a: Traffic, b: Traffic): Traffic {
  return {
    calls: a.calls + b.calls,
    rounds: a.rounds + b.rounds,
    readUnits: a.readUnits + b.readUnits,
    writeUnits: a.writeUnits + b.writeUnits,
    failed: a.failed + b.failed,
  }
}

function sumOf(calls: CountedCall[]): Traffic {
  const single = calls.map(call => ({ ...call, calls: 1, rounds: 0 }))
  return { ...single.reduce(combine, NO_TRAFFIC), rounds: chainLength(calls) }
}

async function pauseFor(ms: number): Promise<void> {
  if (ms > 0) await pause(ms)
}

function askingForUnits(call: Call): Call {
  if (call.service !== 'dynamodb') return call
  const input: unknown = JSON.parse(call.body.toString())
  return { ...call, body: Buffer.from(JSON.stringify({ ...Object(input), ReturnConsumedCapacity: 'TOTAL' })) }
}

function unitsOf({ service, operation }: Call, { status, body }: Answer) {
  if (status !== 200) return { readUnits: 0, writeUnits: 0, failed: 1 }
  const { ConsumedCapacity = [] } =
    service === 'dynamodb' ? WithCapacity.parse(JSON.parse(body.toString())) : {}
  const units = [ConsumedCapacity].flat().reduce((sum, capacity) => sum + capacity.CapacityUnits, 0)
  return READS.has(operation)
    ? { readUnits: units, writeUnits: 0, failed: 0 }
    : { readUnits: 0, writeUnits: units, failed: 0 }
}
