// A client that retries until it knows the outcome: after a crash or a 503 it looks for its write.
import type * as z from 'zod/mini'
import { adminCategories } from '../../../shared/categories/contract.ts'
import { listCategories } from '../../../shared/categories/store.ts'
import type { Endpoint } from '../../../shared/http/endpoint.ts'
import { adminPosts } from '../../../shared/posts/contract.ts'
import { adminList } from '../../../shared/posts/lists.ts'
import { findPostToChange } from '../../../shared/posts/store/bodies.ts'
import { adminReads } from '../../../shared/posts/store/post-lists.ts'
import type { Table } from '../../../shared/table/client.ts'
import type { CallInput, CallResult } from '../functions.ts'

const MAX_TRIES = 30

type EndpointName = Pick<Endpoint, 'method' | 'path'>

/** A number that a write to this endpoint changes. */
async function versionOf(table: Table, endpoint: EndpointName, { params = {} }: CallInput): Promise<number> {
  const id = Number(params.id)
  const categories = async () => await listCategories(table)
  const isOfCategories = Object.values<unknown>(adminCategories).includes(endpoint)
  if (isOfCategories && params.id === undefined) {
    return Math.max(0, ...(await categories()).map(category => category.id))
  }
  if (isOfCategories) return (await categories()).find(category => category.id === id)?.version ?? 0
  if (endpoint.method !== 'POST' || params.id !== undefined) {
    return (await findPostToChange(table, id))?.post.version ?? 0
  }
  const { items } = await adminReads(table, adminList(false, undefined)).page(1, 1)
  return items[0]?.id ?? 0
}

type Attempts<Data extends z.ZodMiniType> = {
  /** Calls the service under faults; undefined after a crash. */
  attempt: () => Promise<CallResult<Data> | undefined>
  /** Reads a record without faults. */
  read: (kind: 'post' | 'category', id: number) => Promise<unknown>
}

/** Returns the answer, or an equal one built from the record. Throws after too many tries. */
export async function retryUntilKnown<Data extends z.ZodMiniType>(
  table: Table,
  endpoint: Endpoint<z.ZodMiniType, z.ZodMiniType, z.ZodMiniType, Data>,
  input: CallInput,
  { attempt, read }: Attempts<Data>,
): Promise<CallResult<Data>> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const before = await versionOf(table, endpoint, input)
    const answer = await attempt()
    if (answer && answer.status !== 503) return answer
    const after = await versionOf(table, endpoint, input)
    if (after === before) continue
    const kind = Object.values<unknown>(adminPosts).includes(endpoint) ? 'post' : 'category'
    const record = endpoint.status === 201 ? await read(kind, after) : undefined
    return { status: endpoint.status, pagination: undefined, read: () => endpoint.data.parse(record) }
  }
  throw new Error(`${endpoint.method} ${endpoint.path} had no known outcome after ${MAX_TRIES} tries.`)
}
