// Checks what is counted beside records: categories, posts of authors, subscriptions of users and of events.
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import { totalsOf } from '../../../shared/categories/category.ts'
import { findTotals, listCategories } from '../../../shared/categories/store.ts'
import { countsOf, findWantedCopies, putWanted, type WantedCounts } from '../../../shared/events/wanted.ts'
import { isCountedAsPublic } from '../../../shared/posts/commands/commit.ts'
import { CONFLICT, ConditionFailed, isNew } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import {
  authorKey,
  categoryTotalsKey,
  type Item,
  kindOf,
  postKey,
  webhooksOwnedKey,
} from '../../../shared/table/design.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import { retryOnConflict } from '../../../shared/table/retry-on-conflict.ts'
import { listWebhooks } from '../../../shared/webhooks/store/webhooks.ts'
import { wantedBy } from '../../../shared/webhooks/webhook.ts'
import type { Problem } from './expectations.ts'

/** The item has this value of the attribute, or none. */
function ifStill(name: string, value: string | number | undefined) {
  return value === undefined
    ? isNew
    : { ConditionExpression: `${name} = :was`, ExpressionAttributeValues: { ':was': value } }
}

/** Each change of a category changes the revision of the totals, so it is read before and after them. */
export function checkCategoryTotals(table: Table, repair: boolean): Promise<Problem[]> {
  return retryOnConflict(async () => {
    const before = await findTotals(table)
    const expected = totalsOf(await listCategories(table))
    const after = await findTotals(table)
    if (before?.revision !== after?.revision) throw new ConditionFailed([CONFLICT])
    const { count = 0, answer_bytes = 0 } = before ?? {}
    if (count === expected.count && answer_bytes === expected.answer_bytes) return []
    if (repair) {
      const Item = { ...categoryTotalsKey, revision: randomUUID(), ...expected }
      await table.write({
        onConditionFailed: CONFLICT,
        Put: { Item, ...ifStill('revision', before?.revision) },
      })
    }
    const message = before ? 'their totals do not match the records.' : 'their totals are missing.'
    const found = before ? { count, answer_bytes } : null
    return [{ subject: 'categories', message, key: categoryTotalsKey, expected, found, isRepaired: repair }]
  })
}

const Total = z.object({ owned: z.int() })

/** A new or deleted subscription changes the number of its owner, which is read before and after them. */
export function checkWebhookTotal(table: Table, ownerId: number, repair: boolean): Promise<Problem[]> {
  return retryOnConflict(async () => {
    const key = webhooksOwnedKey(ownerId)
    const before = (await table.find(key, Total))?.owned
    const expected = (await listWebhooks(table, ownerId)).length
    const after = (await table.find(key, Total))?.owned
    if (before !== after) throw new ConditionFailed([CONFLICT])
    if ((before ?? 0) === expected) return []
    if (repair) {
      const Put = { Item: { ...key, owned: expected }, ...ifStill('owned', before) }
      await table.write({ onConditionFailed: CONFLICT, Put })
    }
    const message = `has ${expected} webhooks, but its counter says ${before ?? 0}.`
    return [{ subject: `user ${ownerId}`, message, key, expected, found: before ?? null, isRepaired: repair }]
  })
}

/** A change of a subscription that matters changes the counts, which are read before and after. */
export function checkWanted(table: Table, ownerIds: number[], repair: boolean): Promise<Problem[]> {
  return retryOnConflict(async () => {
    const before = await findWantedCopies(table)
    const owned = await Promise.all(ownerIds.map(ownerId => listWebhooks(table, ownerId)))
    const expected = countsOf(owned.flat().map(({ webhook }) => wantedBy(webhook)))
    const after = await findWantedCopies(table)
    if (!isDeepStrictEqual(before, after)) throw new ConditionFailed([CONFLICT])
    const found = after.map(withoutNone)
    if (found.every(counts => isDeepStrictEqual(counts, expected))) return []
    if (repair) await table.transact(putWanted(expected, after))
    const message = 'the counts of wanted events do not match the subscriptions.'
    const wrong = found.find(counts => !isDeepStrictEqual(counts, expected))
    return [{ subject: 'webhooks', message, expected, found: wrong, isRepaired: repair }]
  })
}

function withoutNone(counts: WantedCounts): WantedCounts {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0))
}

/** `revisions`: their sum, which shows whether a post has changed between two scans. */
type PostsOfAuthor = { all: number; revisions: number; shown: number }
const NONE: PostsOfAuthor = { all: 0, revisions: 0, shown: 0 }
const PostItem = z.object({
  author_id: z.int(),
  is_published: z.boolean(),
  announced: z.boolean(),
  revision: z.int(),
})
/** Of an erased account, a number may be left without an id. */
const Profile = z.object({ id: z.int(), public_posts: z.optional(z.int()) })

/** What a scan has found of each author. A profile with 0 public posts is left out. */
export type Authors = ReturnType<typeof openAuthors>

export function openAuthors() {
  const posts = new Map<number, PostsOfAuthor>()
  const counted = new Map<number, number | undefined>()

  const add = (item: Item): void => {
    const kind = kindOf(item.pk)
    if (kind === ('AUTHOR' satisfies Kind)) {
      const { data: profile } = Profile.safeParse(item)
      if (profile && profile.public_posts !== 0) counted.set(profile.id, profile.public_posts)
    }
    const isPost = kind === ('POST' satisfies Kind) && item.sk === postKey(0).sk
    const { data: post } = isPost ? PostItem.safeParse(item) : {}
    if (!post) return
    const { all, revisions, shown } = posts.get(post.author_id) ?? NONE
    posts.set(post.author_id, {
      all: all + 1,
      revisions: revisions + post.revision,
      shown: shown + Number(isCountedAsPublic(post)),
    })
  }

  const countOf = (id: number) => (counted.has(id) ? counted.get(id) : 0)
  return {
    add,
    postsOf: (id: number) => posts.get(id) ?? NONE,
    /** Whose profile does not count what the scan has found, perhaps because a post changed during it. */
    suspects: () =>
      [...new Set([...posts.keys(), ...counted.keys()])].filter(
        id => countOf(id) !== (posts.get(id) ?? NONE).shown,
      ),
  }
}

/** The profiles are read between two scans: what both have found existed at that moment. */
export async function checkPublicPosts(
  table: Table,
  {
    ids,
    first,
    scanAgain,
  }: { ids: number[]; first: Authors; scanAgain: (add: (item: Item) => void) => Promise<void> },
  repair: boolean,
): Promise<Problem[]> {
  const profiles = (await table.findMany([...new Set(ids)].map(authorKey)))
    .flatMap(item => Profile.safeParse(item).data ?? [])
    .filter(({ id, public_posts }) => public_posts !== first.postsOf(id).shown)
  if (profiles.length === 0) return []
  const second = openAuthors()
  await scanAgain(second.add)
  const problems: Problem[] = []
  for (const { id, public_posts: found } of profiles) {
    const expected = second.postsOf(id).shown
    const isSure = isDeepStrictEqual(second.postsOf(id), first.postsOf(id))
    if (expected === found || !isSure) continue
    if (repair && !(await setPublicPosts(table, { id, found, expected }))) continue
    const message = `has ${expected} public posts and pages, but its profile counts ${found ?? 'none'}.`
    const subject = `user ${id}`
    problems.push({
      subject,
      message,
      key: authorKey(id),
      expected,
      found: found ?? null,
      isRepaired: repair,
    })
  }
  return problems
}

type Correction = { id: number; found: number | undefined; expected: number }

/** False if a post of the author was published or hidden since. */
async function setPublicPosts(table: Table, { id, found, expected }: Correction): Promise<boolean> {
  const isAsRead = found === undefined ? 'attribute_not_exists(public_posts)' : 'public_posts = :found'
  const Update = {
    Key: authorKey(id),
    UpdateExpression: 'SET public_posts = :count',
    ConditionExpression: `attribute_exists(pk) AND ${isAsRead}`,
    ExpressionAttributeValues: { ':count': expected, ...(found !== undefined && { ':found': found }) },
  }
  try {
    await table.write({ Update })
    return true
  } catch (error) {
    if (error instanceof ConditionFailed) return false
    throw error
  }
}
