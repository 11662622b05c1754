// A client that tries again until it knows: after an answer that says nothing it looks whether its write is there.
import type * as z from 'zod/mini'
import { adminCategories } from '../../shared/categories/contract.ts'
import { listCategories } from '../../shared/categories/store/categories.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { adminList } from '../../shared/posts/lists.ts'
import { findPost } from '../../shared/posts/store/bodies.ts'
import { listForAdmin } from '../../shared/posts/store/posts.ts'
import type { Table } from '../../shared/table/client.ts'
import type { Answered, Ask } from './functions.ts'

const MOST_TRIES = 30

type Asked = Pick<Endpoint, 'method' | 'path'>

/** What a write of this kind changes: by it a client sees whether it was done. */
async function traceOf(table: Table, endpoint: Asked, { params = {} }: Ask): Promise<number> {
  const id = Number(params.id)
  const categories = async () => await listCategories(table)
  const isOfCategories = Object.values<unknown>(adminCategories).includes(endpoint)
  if (isOfCategories && params.id === undefined) {
    return Math.max(0, ...(await categories()).map(one => one.id))
  }
  if (isOfCategories) return (await categories()).find(one => one.id === id)?.version ?? 0
  if (endpoint.method !== 'POST' || params.id !== undefined) {
    return (await findPost(table, id))?.post.version ?? 0
  }
  const { items } = await listForAdmin(table, adminList(false, undefined), { page: 1, per_page: 1 })
  return items[0]?.id ?? 0
}

type Tries<Data extends z.ZodMiniType> = {
  /** Under faults; undefined when it crashed. */
  attempt: () => Promise<Answered<Data> | undefined>
  /** The same service without faults. */
  look: (kind: 'post' | 'category', id: number) => Promise<unknown>
}

/** The answer, or one that says what the caller has found out. Throws when it never gets through. */
export async function untilKnown<Data extends z.ZodMiniType>(
  table: Table,
  endpoint: Endpoint<z.ZodMiniType, z.ZodMiniType, z.ZodMiniType, Data>,
  ask: Ask,
  { attempt, look }: Tries<Data>,
): Promise<Answered<Data>> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const before = await traceOf(table, endpoint, ask)
    const answer = await attempt()
    if (answer && answer.status !== 503) return answer
    const after = await traceOf(table, endpoint, ask)
    if (after === before) continue
    const kind = Object.values<unknown>(adminPosts).includes(endpoint) ? 'post' : 'category'
    const made = endpoint.status === 201 ? await look(kind, after) : undefined
    return { status: endpoint.status, pagination: undefined, read: () => endpoint.data.parse(made) }
  }
  throw new Error(`${endpoint.method} ${endpoint.path} did not get through.`)
}
