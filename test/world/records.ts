// Creates a record of any collection through the API itself, with the example bodies of the document.
import { randomUUID } from 'node:crypto'
import * as z from 'zod/mini'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { ENDPOINTS, endpointOf, guideTo } from './endpoints.ts'
import type { World } from './world.ts'

type Members = Record<string, unknown>
type Params = Record<string, string | number>
type Send = (endpoint: Endpoint, ask: { params: Params; body?: unknown }) => Promise<Answer>
type Answer = { status: number; text: string }
type Creators = {
  /** Creates a record with the example body of its collection, changed by these members. */
  byExample: (collection: string, members?: Members) => Promise<Members>
  /** Calls an endpoint for a record, with the example body. */
  act: (name: string, record: Members) => Promise<Members>
}

/** Members of bodies that are ids of other records, and the collections of those. */
const REFERENCES: Record<string, string> = { post_id: 'posts', category_ids: 'categories' }

const IMAGE = {
  thumbnail: 'https://images.example.com/200.jpg',
  original: 'https://images.example.com/1.jpg',
}
const LIVE = { is_published: true, featured_image: IMAGE }

/** Collections whose records need more than the example of `POST …/COLLECTION` or `PUT …/COLLECTION/{…}`. */
const OTHERS: Record<string, (creators: Creators) => Promise<Members>> = {
  posts: ({ byExample }) => byExample('posts', { ...LIVE, title: 'Hello, world', category_ids: [1] }),
  pages: ({ byExample }) => byExample('posts', { is_published: true, title: 'About', content_type: 'page' }),
  comments: async ({ byExample, act }) =>
    act('POST /api/v1/admin/comments/{id}/approve', await byExample('comments')),
  tickets: async ({ byExample, act }) => {
    const ticket = await byExample('tickets')
    await act('POST /api/v1/admin/tickets/{id}/replies', ticket)
    return ticket
  },
  /** No test waits for its deliveries. */
  webhooks: ({ byExample }) =>
    byExample('webhooks', { url: 'https://hooks.example/', events: ['test.ping'] }),
  users: async ({ byExample }) => {
    const { user } = await byExample('register', { email: `${randomUUID()}@example.com` })
    return AnyMembers.parse(user)
  },
}

const AnyMembers = z.record(z.string(), z.unknown())
const Data = z.object({ data: AnyMembers })
const Param = z.union([z.string(), z.number()])

/** The endpoint that creates a record of the collection, if one does. */
function creatorOf(collection: string): Endpoint | undefined {
  const posting = ENDPOINTS.find(
    ({ endpoint: { method, path } }) =>
      method === 'POST' && path.endsWith(`/${collection}`) && !path.includes('{'),
  )
  const putting = ENDPOINTS.find(({ name }) => /^PUT .*\/([^/]+)\/\{\w+\}$/.exec(name)?.[1] === collection)
  return (posting ?? putting)?.endpoint
}

/** The parameters of a path, each with the collection before it: `categories` and `slug`. */
function parametersOf({ path }: Endpoint): { collection: string; name: string }[] {
  return [...path.matchAll(/([^/]+)\/\{(\w+)\}/g)].map(([, collection = '', name = '']) => ({
    collection,
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
    withRealIds({ ...Object(guideTo(endpoint).body), ...members })

  const call = async (endpoint: Endpoint, params: Params, members: Members = {}) => {
    const body = endpoint.body && { body: await bodyFor(endpoint, members) }
    const { status, text } = await send(endpoint, { params, ...body })
    if (status < 300) return Data.parse(JSON.parse(text)).data
    throw new Error(`${endpoint.method} ${endpoint.path} gave ${status} to its example: ${text}`)
  }
  const act = (name: string, record: Members) => {
    const endpoint = endpointOf(name)
    return call(
      endpoint,
      paramsIn(endpoint, () => record),
    )
  }

  /** `params`: where a PUT creates the record. */
  const create = async (collection: string, params?: Params): Promise<Members> => {
    const byExample = (of: string, members?: Members) => {
      const creator = creatorOf(of)
      if (creator) return call(creator, params ?? guideTo(creator).params ?? {}, members)
      throw new Error(`Add ${of} to OTHERS in test/world/records.ts, since no endpoint creates them.`)
    }
    return OTHERS[collection]?.({ byExample, act }) ?? byExample(collection)
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
      paramsFor(endpoint, collection => create(collection, guideTo(endpoint).params)),
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
        return one that has in OTHERS of test/world/records.ts.`)
    }),
  )
}

export type Records = ReturnType<typeof recordsBy>

/** Creates them as the owner, when a test first needs them. */
export function recordsOf(world: Pick<World, 'call' | 'admin'>): Records {
  return recordsBy((endpoint, ask) => world.call(endpoint, { token: world.admin, ...ask }))
}
