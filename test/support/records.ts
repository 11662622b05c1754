// Creates a record of any collection through the API itself, with the example bodies of the document.
import * as z from 'zod/mini'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { creatorOf, INSIDE, Members, OTHERS, REFERENCES } from './collections.ts'
import { ENDPOINTS, endpointOf, sequentially } from './endpoints.ts'
import { patiently } from './until.ts'
import type { World } from './world.ts'

type Params = Record<string, string | number>
type Send = (endpoint: Endpoint, ask: { params: Params; body?: unknown }) => Promise<Answer>
type Answer = { status: number; text: string }
const Data = z.object({ data: Members })
const List = z.object({ data: z.array(Members) })
const Param = z.union([z.string(), z.number()])

/** The parameters of a path, each with the collection before it: `categories` and `slug`. */
function parametersOf({ path }: Endpoint): { collection: string; name: string }[] {
  return [...path.matchAll(/([^/]+)\/\{(\w+)\}/g)].map(([, collection = '', name = '']) => ({
    collection: INSIDE[name] ?? collection,
    name,
  }))
}

export function recordsBy(send: Send) {
  const shared = new Map<string, Promise<Members>>()

  /** The same record each time. */
  const share = (collection: string): Promise<Members> => {
    const record = shared.get(collection) ?? create(collection)
    shared.set(collection, record)
    return record
  }

  const withRealIds = async (body: Members): Promise<Members> => {
    const real = { ...body }
    for (const [member, collection] of Object.entries(REFERENCES)) {
      if (!body[member]) continue
      const { id } = await share(collection)
      real[member] = Array.isArray(body[member]) ? [id] : id
    }
    return real
  }

  /** The body of the endpoint's example, with ids of records that exist. */
  const bodyFor = (endpoint: Endpoint, members: Members = {}) =>
    withRealIds({ ...Object(endpoint.example.body), ...members })

  const ask = async (endpoint: Endpoint, params: Params, members: Members = {}) => {
    const body = endpoint.body && { body: await bodyFor(endpoint, members) }
    return await patiently(() => send(endpoint, { params, ...body }))
  }

  const call = async (endpoint: Endpoint, params: Params, members: Members = {}) => {
    const { status, text } = await ask(endpoint, params, members)
    if (status < 300) return Data.parse(JSON.parse(text)).data
    throw new Error(`${endpoint.method} ${endpoint.path} answered its example with ${status} ${text}
      Change its example, or create the record otherwise in OTHERS of test/support/collections.ts.`)
  }
  const act = (name: string, record: Members) => {
    const endpoint = endpointOf(name)
    return call(
      endpoint,
      paramsIn(endpoint, () => record),
    )
  }

  const attempt = async (name: string, record: Members): Promise<Members[]> => {
    const endpoint = endpointOf(name)
    const params = paramsIn(endpoint, () => record)
    return List.safeParse(JSON.parse((await ask(endpoint, params)).text)).data?.data ?? []
  }

  /** `params`: where a PUT creates the record. */
  const create = async (collection: string, params?: Params): Promise<Members> => {
    const byExample = (of: string, members?: Members) => {
      const creator = creatorOf(of)
      if (creator) return call(creator, params ?? creator.example.params ?? {}, members)
      throw new Error(`Add ${of} to OTHERS in test/support/collections.ts, since no endpoint creates them.`)
    }
    return OTHERS[collection]?.({ byExample, act, attempt }) ?? byExample(collection)
  }

  const paramsFor = async (endpoint: Endpoint, find: (collection: string) => Promise<Members>) => {
    const records = new Map<string, Members>()
    for (const { collection } of parametersOf(endpoint)) records.set(collection, await find(collection))
    return paramsIn(endpoint, collection => records.get(collection))
  }

  return {
    create,
    share,
    bodyFor,
    act,
    /** Values for the path of the endpoint, of records that all tests of the file share. */
    paramsFor: (endpoint: Endpoint) => paramsFor(endpoint, share),
    /** Values for the path of the endpoint, of records that the caller may change and delete. */
    newParamsFor: (endpoint: Endpoint) =>
      paramsFor(endpoint, collection => create(collection, endpoint.example.params)),
    /** Creates what the endpoint lists, too. */
    fillLists: async ({ path }: Endpoint) => {
      const isCollection = (step: string) => step in OTHERS || creatorOf(step) !== undefined
      for (const collection of path.split('/').filter(isCollection)) await share(collection)
    },
  }
}

/** Takes the parameters of a path from records. */
function paramsIn(endpoint: Endpoint, recordOf: (collection: string) => Members | undefined): Params {
  return Object.fromEntries(
    parametersOf(endpoint).map(({ collection, name }) => {
      const { data, success } = Param.safeParse(recordOf(collection)?.[name])
      if (success) return [name, data]
      throw new Error(`A record of ${collection} has no ${name} for ${endpoint.method} ${endpoint.path}:
        return one that has in OTHERS of test/support/collections.ts.`)
    }),
  )
}

export type Records = ReturnType<typeof recordsBy>

/** Creates them as the owner, when a test first needs them. */
export function recordsOf(world: Pick<World, 'call' | 'admin'>): Records {
  return recordsBy((endpoint, ask) => world.call(endpoint, { token: world.admin, ...ask }))
}

/** The reads that show everything a caller can change. Public reads show less, or show it later. */
const reads = ENDPOINTS.filter(
  ({ endpoint: { method, audience } }) => method === 'GET' && audience !== 'public',
)

export async function readEverything(world: World, records: Records): Promise<string[]> {
  const answers = await sequentially(reads, async ({ name, endpoint }) => {
    const answer = await world.call(endpoint, {
      token: world.admin,
      params: await records.paramsFor(endpoint),
      query: endpoint.isPaginated ? { per_page: 100 } : {},
    })
    if (answer.status !== 200) throw new Error(`${name} answered ${answer.status} ${answer.text}`)
    return answer
  })
  return answers.map(({ text }) => text)
}
