// Creates posts. One request wins a race for a slug; the others fail, or number the slug of their title.
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { versioned } from '../../http/reply.ts'
import { type NodeItems, readAhead } from '../../lists/counted-list.ts'
import { NO_DOC } from '../../search/store/documents.ts'
import { slugTaken, withDerivedSlug } from '../../slugs/reserve.ts'
import { slugKey } from '../../table/design.ts'
import { packText } from '../../table/large-text.ts'
import { nextId } from '../../table/next-id.ts'
import { readTogether } from '../../table/read-together.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import type { PostInput } from '../fields.ts'
import { listChangeOf } from '../lists.ts'
import { newPost } from '../post.ts'
import { findReferences, type PostReferences } from '../store/references.ts'
import { adminPost, namesOf } from '../view.ts'
import { replaceBody } from './body.ts'
import { checkReferences } from './check-references.ts'
import { commitPost } from './commit.ts'

type FirstReads = { references: PostReferences; nodesAhead?: NodeItems }

export async function createPost(work: UnitOfWork, input: PostInput, callerId: number) {
  const body = input.body ?? ''
  const authorId = input.author_id ?? callerId
  const referred = { slug: input.slug, authorIds: [authorId] }
  const together = readTogether(work.table)
  const [references, id, nodesAhead] = await Promise.all([
    findReferences(together, referred),
    nextId(work.table, 'post'),
    readNodesAhead({ ...work, table: together }, input, authorId),
  ])
  checkReferences(input, references, null)
  const packed = await packText(work.table, body, work.nowMs)

  // The first attempt uses what was read above, each further attempt reads it again.
  let first: FirstReads | undefined = { references, nodesAhead }
  const createAs = (slug: string) =>
    retryOnConflict(async () => {
      const { references, nodesAhead } = first ?? { references: await findReferences(work.table, referred) }
      first = undefined
      checkReferences(input, references, null)
      const names = namesOf(references.categories, references.authors)
      const post = newPost(input, { id, slug, authorId, nowSeconds: work.nowSeconds })
      const reply = versioned(adminPost(post, body, names, work.nowSeconds), post.version)
      const bodyActions = replaceBody(id, post.body_version, packed, undefined, work.nowMs)
      const write = { before: null, after: post, body, bodyActions, doc: NO_DOC, nodesAhead }
      await commitPost(work, write, reply)
      return reply
    })

  if (input.slug) return await createAs(input.slug).catch(slugTaken)
  const { title, content_type: fallback = 'post' } = input
  return await withDerivedSlug(
    { table: work.table, kind: 'post', title, fallback, id, keyOf: slugKey },
    createAs,
  )
}

/** Lists by id have it at their end, as they will have the id of the new post. */
const NEWEST_ID = Number.MAX_SAFE_INTEGER

/** Reads the nodes of the post's lists before its id is known. */
function readNodesAhead({ table, nowSeconds }: UnitOfWork, input: PostInput, authorId: number) {
  const post = newPost({ ...input, body: '' }, { id: NEWEST_ID, slug: '', authorId, nowSeconds })
  return readAhead(table, listChangeOf(null, post))
}
