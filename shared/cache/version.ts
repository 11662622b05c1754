// The version of public content: one item that every transaction with public effect raises.
import * as z from 'zod/mini'
import type { Update } from '../table/action.ts'
import { perTable, type Table } from '../table/client.ts'
import { openGroups } from '../table/concurrency.ts'
import { versionKey } from '../table/design.ts'

/** `content`: of all public content. `names`: of what many answers show and few changes concern. */
export const Version = z.object({ content: z._default(z.int(), 0), names: z._default(z.int(), 0) })
export type Version = z.infer<typeof Version>

/**
 * `content`: a transaction changes posts in public view. `names`: it changes names of categories or authors,
 * settings or menus.
 */
export type VersionMember = keyof Version

/** shared/feed includes this in every transaction that changes public content. */
export function raiseVersion(raised: VersionMember): Update {
  const names = raised === 'names'
  return {
    Key: versionKey,
    UpdateExpression: names ? 'ADD content :one, #names :one' : 'ADD content :one',
    ...(names && { ExpressionAttributeNames: { '#names': 'names' } }),
    ExpressionAttributeValues: { ':one': 1 },
  }
}

const readsOf = perTable(() => openGroups<Version>())

/** One read unit, for all that ask while another read runs: theirs begins after it. */
export async function findVersion(table: Table): Promise<Version> {
  const read = async () => (await table.find(versionKey, Version)) ?? Version.parse({})
  return (await readsOf(table)('version', read)).value
}

/** DynamoDB may show a new version before the rest of its transaction. README.md explains it. */
export const SETTLED_AFTER_MS = 200

/** Call the returned function with a version before the reads: it says whether they may be remembered. */
export function watchVersion<Version = number>(): (version: Version) => boolean {
  let seen: { version: Version; sinceMs: number } | undefined
  return version => {
    const atMs = performance.now()
    if (seen?.version !== version) seen = { version, sinceMs: atMs }
    return atMs - seen.sinceMs >= SETTLED_AFTER_MS
  }
}
