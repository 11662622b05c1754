// The name and picture of an author are public content while a public post or page shows them.
import * as z from 'zod/mini'
import type { PublicChange, PublicChangeAt } from '../../feed/commit.ts'
import type { Action } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { authorKey, postKey, SCHEDULED_PARTITION } from '../../table/design.ts'

/** Adds to the number of announced posts and pages of an author. */
export function addToPublicPosts(authorId: number, count: number): Action {
  return {
    Update: {
      Key: authorKey(authorId),
      UpdateExpression: 'ADD public_posts :count',
      ExpressionAttributeValues: { ':count': count },
    },
  }
}

/** For the profile of an author without public posts: none was announced since it was read. */
export const HAS_NO_PUBLIC_POSTS = {
  ConditionExpression: 'public_posts = :none',
  ExpressionAttributeValues: { ':none': 0 },
}

/** A profile that the doctor restores has no number until the doctor has counted. */
const Counted = z.object({ public_posts: z.optional(z.int()) })
const Scheduled = z.object({ id: z.int(), posted_at: z.int() })
const Authored = z.object({ id: z.int(), author_id: z.int() })

/** `isCounted`: an announced post shows the author. `dueMs`: when the next one may become public. */
export type PublicAuthor = { isCounted: boolean; dueMs: number }

/** Of so many posts that become due next, the authors are read. */
const DUE_NEXT = 25

export async function findPublicAuthor(table: Table, id: number): Promise<PublicAuthor> {
  const [profile, next] = await Promise.all([
    table.find(authorKey(id), Counted),
    table.query({ pk: SCHEDULED_PARTITION, limit: DUE_NEXT }, Scheduled),
  ])
  if (profile?.public_posts !== 0) return { isCounted: true, dueMs: 0 }
  const posts = (await table.findMany(next.map(row => postKey(row.id)))).map(item => Authored.parse(item))
  const own = new Set(posts.filter(post => post.author_id === id).map(post => post.id))
  const due = next.find((row, n) => own.has(row.id) || n === DUE_NEXT - 1)
  return { isCounted: false, dueMs: due ? due.posted_at * 1000 : Number.POSITIVE_INFINITY }
}

const SHOWN: PublicChange = { raised: 'names', notes: [{ kind: 'all' }] }
const HIDDEN: PublicChange = { notes: [] }
/** Functions remember a name from the moment on at which a scheduled post becomes due. */
const SOON_MS = 60_000

/** Another name or picture of the author: copies are pulled again if a reader sees it. */
export function changedAuthor({ isCounted, dueMs }: PublicAuthor): PublicChangeAt {
  return nowMs => {
    if (isCounted || dueMs <= nowMs) return SHOWN
    return dueMs <= nowMs + SOON_MS ? { ...SHOWN, notes: [] } : HIDDEN
  }
}
