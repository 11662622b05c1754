// Runs all real functions in this process, with one record of each kind, to measure the CPU time of requests.
import * as z from 'zod/mini'
import { ABILITIES } from '../../shared/http/audience.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { API_FUNCTIONS } from '../../shared/service/api-functions.ts'
import { saveSettings } from '../../shared/site/commands.ts'
import { callOf, openChain } from './chain.ts'
import { ALL_ENABLED, ENDPOINTS } from './endpoints.ts'
import type { EventOptions } from './proxy-event.ts'
import { recordsBy } from './records.ts'

type Lambda = Parameters<typeof callOf>[0]
const Module = z.object({ handler: z.custom<Lambda>(value => typeof value === 'function') })
const FailureAnswer = z.object({
  errors: z.optional(z.object({ fields: z.optional(z.record(z.string(), z.unknown())) })),
})

const KEYS = { LIMIT_SCALE: '100000', PRIVATE_KEY: Buffer.alloc(32, 7).toString('base64') }

/** Returns a function that calls the handler of an endpoint. */
export async function openFunctions() {
  const calls = new Map<Endpoint, ReturnType<typeof callOf>>()
  for (const [name, { endpoints }] of Object.entries(API_FUNCTIONS)) {
    const { handler } = Module.parse(await import(`../../functions/${name}.ts`))
    for (const endpoint of Object.values(endpoints)) calls.set(endpoint, callOf(handler))
  }
  return (endpoint: Endpoint, options: EventOptions) => {
    const call = calls.get(endpoint)
    if (!call) throw new Error(`No function serves ${endpoint.method} ${endpoint.path}.`)
    return call(endpoint, options)
  }
}

export async function openFullChain(environment: Record<string, string> = {}) {
  const chain = await openChain({ ...KEYS, ...environment })
  await saveSettings(chain.table, ALL_ENABLED)
  const call = await openFunctions()
  const { token } = await chain.user([...ABILITIES])

  const records = recordsBy((endpoint, ask) => call(endpoint, { token, ...ask }))
  // Now, so that no test counts the events and the time of their creation.
  for (const { endpoint } of ENDPOINTS) await records.paramsFor(endpoint)

  /** Returns the answer, the names of its invalid fields, and the CPU time of this thread alone. */
  const send = async (endpoint: Endpoint, options: EventOptions) => {
    const params = { ...(await records.paramsFor(endpoint)), ...options.params }
    const start = process.threadCpuUsage()
    const result = await call(endpoint, { token, ...options, params })
    const { user, system } = process.threadCpuUsage(start)
    const { errors } = FailureAnswer.parse(JSON.parse(result.text || '{}'))
    return { ...result, cpuMs: (user + system) / 1000, fields: Object.keys(errors?.fields ?? {}) }
  }
  return { ...chain, send, bodyFor: records.bodyFor }
}

export type FullChain = Awaited<ReturnType<typeof openFullChain>>
