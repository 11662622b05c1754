// Imports posts and pages, with the dates and the version that they had.
import { createHash } from 'node:crypto'
import { findCategoryNames } from '../../../../shared/categories/store.ts'
import { updatePost } from '../../../../shared/posts/commands/change.ts'
import { commitPost, replaceBody } from '../../../../shared/posts/commands/commit.ts'
import { PostTexts } from '../../../../shared/posts/fields.ts'
import { excerptOf, readingTimeOf, textOf } from '../../../../shared/posts/html-text.ts'
import { isLive, type Post } from '../../../../shared/posts/post.ts'
import { NO_DOC } from '../../../../shared/search/documents.ts'
import { packText } from '../../../../shared/table/blob.ts'
import { postKey, slugKey } from '../../../../shared/table/design.ts'
import { NOWHERE, type RecordOf } from '../format.ts'
import type { ImportJob, Writer } from './job.ts'
import { anyVersion } from './write-site.ts'

type PostRecord = RecordOf<'post'>

/** Where the site shows it. */
export function publicPath({ slug, content_type }: PostRecord): string {
  return `${content_type === 'page' ? '' : '/blog'}/${encodeURIComponent(slug)}`
}

export const POSTS: Writer<RecordOf<'post'>> = {
  counter: 'post',
  keyOf: ({ id }) => postKey(id),
  /** Comments of another post with the same slug do not belong to the one that is here. */
  find: async ({ table }, { slug }) => {
    const [lock] = await table.findMany([slugKey(slug)])
    return lock && { id: 0, reason: `Its slug is that of post ${Number(lock.id)}.` }
  },
  create: async (job, { record, notes: ofEntry }, id, commit) => {
    const work = job.work()
    const { body } = record
    const [{ notes, ...references }, packed] = await Promise.all([
      referencesOf(job, record),
      packText(job.table, body, work.nowMs),
    ])
    const post = postOf(record, { id, ...references }, work.nowSeconds)
    const bodyActions = replaceBody(id, post.body_version, packed, undefined, work.nowMs)
    await commitPost({ ...work, commit }, { before: null, after: post, body, bodyActions, doc: NO_DOC })
    for (const note of notes) ofEntry.push(note)
  },
  update: async (job, { record }, id) => {
    const { type, id: _, created_at, updated_at, version, ...members } = record
    const { author_id, category_ids } = await referencesOf(job, record)
    await updatePost(job.work(), { id, requireMatch: anyVersion }, { ...members, author_id, category_ids })
  },
}

/** What of the references is not here is left out. */
async function referencesOf(job: ImportJob, record: PostRecord) {
  const author = job.ids.get(`user:${record.author_id}`)
  const ids = record.category_ids.flatMap(id => job.ids.get(`category:${id}`) ?? [])
  // One may have been deleted since.
  const here = ids.length > 0 ? await findCategoryNames(job.table, ids) : new Map()
  const category_ids = [...new Set(ids)].filter(id => here.has(id))
  const isWhole = category_ids.length === new Set(record.category_ids).size
  return {
    author_id: author ?? (await job.defaultAuthor()),
    category_ids,
    notes: [
      ...(author === undefined && record.author_id !== NOWHERE ? ['Its author was not imported.'] : []),
      ...(isWhole ? [] : ['One of its categories was not imported.']),
    ],
  }
}

/** Its publication counts as announced if it is public already. */
function postOf(
  { type, posted_at, body, ...members }: PostRecord,
  references: Pick<Post, 'id' | 'author_id' | 'category_ids'>,
  nowSeconds: number,
): Post {
  const { is_published, short_description, version, created_at } = members
  const date = is_published ? (posted_at ?? created_at) : posted_at
  const text = textOf(body)
  return {
    ...members,
    ...PostTexts.parse(members),
    ...references,
    posted_at: date,
    excerpt: short_description || excerptOf(text),
    reading_time: readingTimeOf(text),
    body_version: version,
    body_sha256: createHash('sha256').update(body).digest('hex'),
    announced: isLive({ is_published, posted_at: date }, nowSeconds),
    revision: 0,
    schema: 1,
  }
}
