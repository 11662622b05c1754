// Imports what readers see: settings, menus, categories, posts and pages.
import { categoryCreation, changeCategory } from '../../../../shared/categories/commands.ts'
import { findCategoryIdBySlug, findCategoryNames } from '../../../../shared/categories/store.ts'
import { updatePost } from '../../../../shared/posts/commands/change.ts'
import { commitPost, replaceBody } from '../../../../shared/posts/commands/commit.ts'
import { newPost } from '../../../../shared/posts/post.ts'
import { NO_DOC } from '../../../../shared/search/documents.ts'
import { saveMenu } from '../../../../shared/site/commands/menus.ts'
import { saveSettings, settingsAction } from '../../../../shared/site/commands/settings.ts'
import { menuFrom } from '../../../../shared/site/menu.ts'
import { changedSettings } from '../../../../shared/site/settings.ts'
import { MenuRecord } from '../../../../shared/site/store/menus.ts'
import { forgetSettings, SettingsRecord } from '../../../../shared/site/store/settings.ts'
import { packText } from '../../../../shared/table/blob.ts'
import { categoryKey, menuKey, postKey, settingsKey, slugKey } from '../../../../shared/table/design.ts'
import { NOWHERE, type RecordOf } from '../format.ts'
import type { ImportJob, Writer } from './job.ts'

/** Settings that are set here stay as they are, unless they are updated. */
export const SETTINGS: Writer<RecordOf<'settings'>> = {
  keyOf: () => settingsKey,
  create: async ({ table }, { record }, _, work) => {
    const stored = await table.find(settingsKey, SettingsRecord)
    const values = changedSettings(record.values, stored?.values ?? {})
    await work.commit({
      actions: [settingsAction(values, stored)],
      public: { raised: 'names', notes: [{ kind: 'settings' }] },
    })
    forgetSettings(table)
  },
  update: async ({ table }, { record }) => {
    await saveSettings(table, record.values)
  },
}

export const MENUS: Writer<RecordOf<'menu'>> = {
  keyOf: ({ location }) => menuKey(location),
  find: async ({ table }, { location }) => {
    const menu = await table.find(menuKey(location), MenuRecord)
    return menu && { id: 0, reason: 'There is a menu at this location.' }
  },
  create: async (_, { record: { location, items } }, __, work) => {
    await saveMenu(work, menuFrom(location, { items }))
  },
  update: async ({ work }, { record: { location, items } }) => {
    await saveMenu(work(), menuFrom(location, { items }))
  },
}

/** `If-Match` of a request: an import expects no version. */
function anyVersion() {
  return undefined
}

export const CATEGORIES: Writer<RecordOf<'category'>> = {
  counter: 'category',
  keyOf: ({ id }) => categoryKey(id),
  find: async ({ table }, { slug }) => {
    const id = await findCategoryIdBySlug(table, slug)
    return id === undefined ? undefined : { id, reason: 'There is a category with this slug.' }
  },
  create: async ({ table }, { record: { type, ...members } }, id, work) => {
    await work.commit(await categoryCreation(table, { ...members, id }))
  },
  update: async ({ work }, { record: { name, slug, description } }, id) => {
    await changeCategory(work(), { id, requireMatch: anyVersion }, { name, slug, description })
  },
}

type PostRecord = RecordOf<'post'>

/** Where the site shows it. */
export function publicPath({ slug, content_type }: PostRecord): string {
  return `${content_type === 'page' ? '' : '/blog'}/${encodeURIComponent(slug)}`
}

export const POSTS: Writer<PostRecord> = {
  counter: 'post',
  keyOf: ({ id }) => postKey(id),
  /** Comments of another post with the same slug do not belong to the one that is here. */
  find: async ({ table }, { slug }) => {
    const [lock] = await table.findMany([slugKey(slug)])
    return lock && { id: 0, reason: `Its slug is that of post ${Number(lock.id)}.` }
  },
  /** With the dates and the version that it had. Its publication counts as announced if it is public. */
  create: async (job, { record, notes: ofEntry }, id, work) => {
    const { slug, body, is_published, posted_at, created_at, updated_at, version } = record
    const [{ notes, author_id, category_ids }, packed] = await Promise.all([
      referencesOf(job, record),
      packText(job.table, body, work.nowMs),
    ])
    const date = is_published ? (posted_at ?? created_at) : posted_at
    const input = { ...inputOf(record), author_id, category_ids, posted_at: date }
    const { nowSeconds } = work
    const post = newPost(input, { id, slug, authorId: author_id, nowSeconds })
    const after = { ...post, created_at, updated_at, version, body_version: version }
    const bodyActions = replaceBody(id, version, packed, undefined, work.nowMs)
    await commitPost(work, { before: null, after, body, bodyActions, doc: NO_DOC })
    for (const note of notes) ofEntry.push(note)
  },
  update: async (job, { record }, id) => {
    const { author_id, category_ids } = await referencesOf(job, record)
    const change = { ...inputOf(record), author_id, category_ids }
    await updatePost(job.work(), { id, requireMatch: anyVersion }, change)
  },
}

/** The members that a request has. */
function inputOf({ type, id, created_at, updated_at, version, ...members }: PostRecord) {
  return members
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
