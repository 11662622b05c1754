// Making a post: ids and slugs are given out so that a race ends in a clear answer, never in two of one.
import { invalid } from '../http/errors.ts'
import { versioned } from '../http/reply.ts'
import type { Work } from '../lambda/work.ts'
import { Refused } from '../table/action.ts'
import { deciding } from '../table/deciding.ts'
import { slugKey } from '../table/design.ts'
import { nextId } from '../table/next-id.ts'
import { packBody, replaceBody } from './body.ts'
import { check, type Known, readKnown, SLUG_FAULT } from './checks.ts'
import { commitPost, SLUG_TAKEN } from './commit.ts'
import type { PostInput } from './fields.ts'
import { namesFor } from './names.ts'
import { newPost } from './post.ts'
import { slugFrom } from './slug.ts'
import { adminPost } from './view.ts'

export const createPost = async (work: Work, input: PostInput, callerId: number) => {
  const body = input.body ?? ''
  const authorId = input.author_id ?? callerId
  const [first, id] = await Promise.all([readKnown(work, input), nextId(work.table, 'post')])
  check(input, first, null)
  const packed = await packBody(work.table, body, work.nowMs)

  // Read again only when the first look was overtaken.
  let known: Known | undefined = first
  const createAs = (slug: string) =>
    deciding(async () => {
      known ??= await readKnown(work, input)
      check(input, known, null)
      const { categories } = known
      known = undefined
      const post = newPost(input, { id, slug, authorId, now: work.nowSeconds })
      const names = await namesFor(work.table, [post], categories, work.nowMs)
      const reply = versioned(adminPost(post, body, names, work.nowSeconds), post.version)
      const bodyActions = replaceBody(id, post.body_version, packed, undefined, work.nowMs)
      await commitPost(work, { before: null, after: post, bodyActions }, reply)
      return reply
    })

  if (input.slug) return await createAs(input.slug).catch(slugTaken)
  const fallback = input.content_type ?? 'post'
  return await createAs(slugFrom(input.title, fallback)).catch(async error => {
    if (!isTaken(error)) throw error
    return await createAs(await numberedSlug(work, input.title, fallback, id)).catch(slugTaken)
  })
}

/** After ten clashes the id is the number: a thousand equal titles must not probe a thousand keys. */
const MOST_NUMBERS = 10

const numberedSlug = async (
  { table }: Work,
  title: string,
  fallback: string,
  id: number,
): Promise<string> => {
  const candidates = Array.from({ length: MOST_NUMBERS - 1 }, (_, n) => slugFrom(title, fallback, n + 2))
  const taken = new Set((await table.findMany(candidates.map(slugKey))).map(({ pk }) => pk))
  return candidates.find(slug => !taken.has(slugKey(slug).pk)) ?? slugFrom(title, fallback, id)
}

const isTaken = (error: unknown): boolean => error instanceof Refused && error.reasons.includes(SLUG_TAKEN)

export const slugTaken = (error: unknown): never => {
  throw isTaken(error) ? invalid(SLUG_FAULT) : error
}
