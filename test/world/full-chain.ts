// Runs all real functions in this process, with one record of each kind, to measure the CPU time of requests.
import * as z from 'zod/mini'
import { ABILITIES } from '../../shared/http/audience.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { setRuntime } from '../../shared/runtime/runtime.ts'
import { API_FUNCTIONS } from '../../shared/service/api.ts'
import { saveSettings } from '../../shared/site/commands/settings.ts'
import { callOf, openChain } from './chain.ts'
import { ALL_ENABLED, ENDPOINTS } from './endpoints.ts'
import type { EventOptions } from './proxy-event.ts'
import { fullBodyOf } from './valid-bodies.ts'

type Lambda = Parameters<typeof callOf>[0]
const Module = z.object({ handler: z.custom<Lambda>(value => typeof value === 'function') })
const Created = z.object({ data: z.object({ id: z.int() }) })
const Failed = z.object({
  errors: z.optional(z.object({ fields: z.optional(z.record(z.string(), z.unknown())) })),
})

const KEYS = { LIMIT_SCALE: '100000', WEBHOOK_KEY: Buffer.alloc(32, 7).toString('base64') }
/** The slug of the post and of the category. */
const SLUG = 'a-slug'

/** Returns a function that calls the handler of an endpoint. */
async function openFunctions() {
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

export function endpointOf(name: string): Endpoint {
  const found = ENDPOINTS.find(one => one.name === name)
  if (!found) throw new Error(`There is no ${name}.`)
  return found.endpoint
}

export async function openFullChain(environment: Record<string, string> = {}) {
  const chain = await openChain({ ...KEYS, ...environment })
  setRuntime(chain.runtime)
  await saveSettings(chain.table, ALL_ENABLED)
  const call = await openFunctions()
  const { token } = await chain.user([...ABILITIES])

  const create = async (path: string, members: Record<string, unknown> = {}) => {
    const endpoint = endpointOf(`POST ${path}`)
    const { text } = await call(endpoint, { token, body: { ...fullBodyOf(endpoint), ...members } })
    return Created.parse(JSON.parse(text)).data.id
  }
  const ids: Record<string, number> = {
    categories: await create('/api/v1/admin/categories', { slug: SLUG }),
    posts: await create('/api/v1/admin/posts', { slug: SLUG, category_ids: [], author_id: undefined }),
    webhooks: await create('/api/v1/admin/webhooks'),
    tickets: await create('/api/v1/me/tickets'),
    users: (await chain.user(['user'])).id,
  }

  /** The token with all abilities, and the ids of existing records. */
  const askOf = ({ path }: Endpoint) => {
    const slice = path.split('/').find(step => step in ids) ?? ''
    return { token, params: { id: ids[slice] ?? 1, slug: SLUG, location: 'main' } }
  }

  /** Returns the answer, the names of its invalid fields, and the CPU time of this thread alone. */
  const send = async (endpoint: Endpoint, options: EventOptions) => {
    const all = { ...askOf(endpoint), ...options, params: { ...askOf(endpoint).params, ...options.params } }
    const start = process.threadCpuUsage()
    const result = await call(endpoint, all)
    const { user, system } = process.threadCpuUsage(start)
    const { errors } = Failed.parse(JSON.parse(result.text || '{}'))
    return { ...result, cpuMs: (user + system) / 1000, fields: Object.keys(errors?.fields ?? {}) }
  }
  return { ...chain, send }
}

export type FullChain = Awaited<ReturnType<typeof openFullChain>>
