// The real functions in this process, so that the CPU time of a call can be measured.
import * as z from 'zod/mini'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { API_FUNCTIONS } from '../../shared/service/api.ts'
import { callOf, type Result } from './chain.ts'
import type { EventAsk } from './proxy-event.ts'

type Lambda = Parameters<typeof callOf>[0]
const Module = z.object({ handler: z.custom<Lambda>(value => typeof value === 'function') })

/** Calls the function that serves an endpoint. The test file mocks `shared/lambda/runtime.ts` with its chain's. */
export const openEveryFunction = async () => {
  const calls = new Map<Endpoint, ReturnType<typeof callOf>>()
  for (const [name, { endpoints }] of Object.entries(API_FUNCTIONS)) {
    const { handler } = Module.parse(await import(`../../functions/${name}.ts`))
    for (const endpoint of Object.values(endpoints)) calls.set(endpoint, callOf(handler))
  }
  return (endpoint: Endpoint, ask: EventAsk): Promise<Result> => {
    const call = calls.get(endpoint)
    if (!call) throw new Error(`No function serves ${endpoint.method} ${endpoint.path}.`)
    return call(endpoint, ask)
  }
}

/** What this thread works, in milliseconds of CPU: other threads and a busy machine do not count. */
export const cpuOf = async <T>(work: () => Promise<T>): Promise<{ result: T; cpuMs: number }> => {
  const start = process.threadCpuUsage()
  const result = await work()
  const { user, system } = process.threadCpuUsage(start)
  return { result, cpuMs: (user + system) / 1000 }
}
