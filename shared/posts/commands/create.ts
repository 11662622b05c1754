// Creates posts. One request wins a race for a slug; the others fail, or number the slug of their title.
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { versioned } from '../../http/reply.ts'
import { slugTaken, withDerivedSlug } from '../../slugs/reserve.ts'
import { packText } from '../../table/blob.ts'
import { slugKey } from '../../table/design.ts'
import { nextId } from '../../table/next-id.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import type { PostInput } from '../fields.ts'
import { newPost } from '../post.ts'
import { adminPost, namesOf } from '../view.ts'
import { commitPost, replaceBody } from './commit.ts'
import { checkReferences, findReferences, type PostReferences } from './references.ts'

export async function createPost(work: UnitOfWork, input: PostInput, callerId: number) {
  const body = input.body ?? ''
  const authorId = input.author_id ?? callerId
  const referred = { slug: input.slug, authorIds: [authorId] }
  const [firstReferences, id] = await Promise.all([
    findReferences(work.table, referred),
    nextId(work.table, 'post'),
  ])
  checkReferences(input, firstReferences, null)
  const packed = await packText(work.table, body, work.nowMs)

  // The first attempt uses what was read above, each further attempt reads it again.
  let read: PostReferences | undefined = firstReferences
  const createAs = (slug: string) =>
    retryOnConflict(async () => {
      const references = read ?? (await findReferences(work.table, referred))
      read = undefined
      checkReferences(input, references, null)
      const names = namesOf(references.categories, references.authors)
      const post = newPost(input, { id, slug, authorId, nowSeconds: work.nowSeconds })
      const reply = versioned(adminPost(post, body, names, work.nowSeconds), post.version)
      const bodyActions = replaceBody(id, post.body_version, packed, undefined, work.nowMs)
      await commitPost(work, { before: null, after: post, body, bodyActions, doc: undefined }, reply)
      return reply
    })

  if (input.slug) return await createAs(input.slug).catch(slugTaken)
  const { title, content_type: fallback = 'post' } = input
  return await withDerivedSlug(
    { table: work.table, kind: 'post', title, fallback, id, keyOf: slugKey },
    createAs,
  )
}
