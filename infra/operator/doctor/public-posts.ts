// Checks how many public posts and pages the profile of each author counts: at 0, a new name leaves no trace.
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import { isCountedAsPublic } from '../../../shared/posts/commands/commit.ts'
import { ConditionFailed, type WriteAction } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { authorKey, kindOf, postKey } from '../../../shared/table/design.ts'
import type { Item } from '../../../shared/table/key.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import type { Problem } from './problem.ts'

/** `revisions`: their sum, which shows whether a post has changed between two scans. */
type PostsOfAuthor = { all: number; revisions: number; shown: number }

/** By the id of the author. `counted`: by the profile, if that is not 0. */
export type Authors = { posts: Map<number, PostsOfAuthor>; counted: Map<number, number | undefined> }

export function noAuthors(): Authors {
  return { posts: new Map(), counted: new Map() }
}

const NONE: PostsOfAuthor = { all: 0, revisions: 0, shown: 0 }
const PostItem = z.object({
  author_id: z.int(),
  is_published: z.boolean(),
  announced: z.boolean(),
  revision: z.int(),
})
/** Of an erased account, a number may be left without an id. */
const Profile = z.object({ id: z.int(), public_posts: z.optional(z.int()) })

export function sumAuthors(authors: Authors, items: Item[]): void {
  for (const item of items) {
    const kind = kindOf(item.pk)
    if (kind === ('AUTHOR' satisfies Kind)) addProfile(authors, item)
    if (kind === ('POST' satisfies Kind) && item.sk === postKey(0).sk) addPost(authors, item)
  }
}

function addProfile({ counted }: Authors, item: Item): void {
  const { data: profile } = Profile.safeParse(item)
  if (profile && profile.public_posts !== 0) counted.set(profile.id, profile.public_posts)
}

function addPost({ posts }: Authors, item: Item): void {
  const { data: post } = PostItem.safeParse(item)
  if (!post) return
  const { all, revisions, shown } = posts.get(post.author_id) ?? NONE
  posts.set(post.author_id, {
    all: all + 1,
    revisions: revisions + post.revision,
    shown: shown + Number(isCountedAsPublic(post)),
  })
}

/** Authors whose profile does not count what the scan has found, perhaps because a post changed during it. */
export function suspectAuthors({ posts, counted }: Authors): number[] {
  const countedOf = (id: number) => (counted.has(id) ? counted.get(id) : 0)
  return [...new Set([...posts.keys(), ...counted.keys()])].filter(
    id => countedOf(id) !== (posts.get(id) ?? NONE).shown,
  )
}

/** The profiles are read between two scans: what both have found existed at that moment. */
export async function checkPublicPosts(
  table: Table,
  { ids, first, readAll }: { ids: number[]; first: Authors; readAll: () => AsyncIterable<Item[]> },
  repair: boolean,
): Promise<Problem[]> {
  const items = await table.findMany([...new Set(ids)].map(authorKey))
  const profiles = items
    .flatMap(item => Profile.safeParse(item).data ?? [])
    .filter(({ id, public_posts }) => public_posts !== (first.posts.get(id) ?? NONE).shown)
  if (profiles.length === 0) return []
  const second = noAuthors()
  for await (const some of readAll()) sumAuthors(second, some)
  const problems: Problem[] = []
  for (const { id, public_posts } of profiles) {
    const [posts, earlier] = [second, first].map(authors => authors.posts.get(id) ?? NONE)
    if (!posts || posts.shown === public_posts || !isDeepStrictEqual(posts, earlier)) continue
    if (repair && !(await isSet(table, setCount(id, public_posts, posts.shown)))) continue
    const message = `has ${posts.shown} public posts and pages, but its profile counts ${public_posts ?? 'none'}.`
    const [expected, found] = [posts.shown, public_posts ?? null]
    problems.push({ subject: `user ${id}`, message, key: authorKey(id), expected, found, isRepaired: repair })
  }
  return problems
}

function setCount(id: number, before: number | undefined, count: number): WriteAction {
  const isAsRead = before === undefined ? 'attribute_not_exists(public_posts)' : 'public_posts = :before'
  return {
    Update: {
      Key: authorKey(id),
      UpdateExpression: 'SET public_posts = :count',
      ConditionExpression: `attribute_exists(pk) AND ${isAsRead}`,
      ExpressionAttributeValues: { ':count': count, ...(before !== undefined && { ':before': before }) },
    },
  }
}

/** False if a post of the author was published or hidden since. */
async function isSet(table: Table, action: WriteAction): Promise<boolean> {
  try {
    await table.write(action)
    return true
  } catch (error) {
    if (error instanceof ConditionFailed) return false
    throw error
  }
}
