// What readers see, and its authors: settings, menus, categories, accounts, posts and pages.
import { changeUser, creationActions } from '../../../../shared/accounts/commands/users.ts'
import { changedProfile, listEntriesOf, User } from '../../../../shared/accounts/user.ts'
import { CategoryRecord } from '../../../../shared/categories/category.ts'
import { categoryCreation, changeCategory } from '../../../../shared/categories/commands.ts'
import { findCategoryNames, listCachedCategories } from '../../../../shared/categories/store.ts'
import { foldedEmail } from '../../../../shared/http/email.ts'
import { isoTime } from '../../../../shared/http/time.ts'
import { updatePost } from '../../../../shared/posts/commands/change.ts'
import { commitPost, replaceBody } from '../../../../shared/posts/commands/commit.ts'
import { newPost, Post } from '../../../../shared/posts/post.ts'
import { bodyTextOf, findPostWithBody } from '../../../../shared/posts/store/bodies.ts'
import { saveMenu, saveSettings, settingsAction } from '../../../../shared/site/commands.ts'
import { MenuInput, menuFrom } from '../../../../shared/site/menu.ts'
import { changedSettings, SomeSettings } from '../../../../shared/site/settings.ts'
import { forgetSettings, listMenus, SettingsRecord } from '../../../../shared/site/store.ts'
import { packText } from '../../../../shared/table/blob.ts'
import { findItems, type Table } from '../../../../shared/table/client.ts'
import {
  bodyKey,
  categoryKey,
  categorySlugKey,
  emailKey,
  menuKey,
  passwordKey,
  postKey,
  settingsKey,
  slugKey,
  userKey,
} from '../../../../shared/table/design.ts'
import { NOWHERE, type RecordOf } from '../format.ts'
import { findRecords, type ImportJob, type Kind } from '../import/job.ts'
import type { Entry } from '../sources/source.ts'

/** Settings that are set here stay as they are, unless they are updated. */
const SETTINGS: Kind<RecordOf<'settings'>> = {
  type: 'settings',
  read: async table => {
    const stored = await table.find(settingsKey, SettingsRecord)
    return stored ? [{ values: SomeSettings.parse(stored.values) }] : []
  },
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

const MENUS: Kind<RecordOf<'menu'>> = {
  type: 'menu',
  read: async table => {
    const menus = await listMenus(table)
    // Without the ids of links.
    return menus.map(({ location, items }) => ({ location, items: MenuInput.shape.items.parse(items) }))
  },
  lock: ({ location }) => menuKey(location),
  ownerOf: () => ({ id: 0, reason: 'There is a menu at this location.' }),
  create: (_, { record }, __, work) => saveMenu(work, menuFrom(record.location, record)),
  update: ({ work }, { record }) => saveMenu(work(), menuFrom(record.location, record)),
}

/** `If-Match` of a request: an import expects no version. */
function requireMatch() {
  return undefined
}

const CATEGORIES: Kind<RecordOf<'category'>> = {
  type: 'category',
  counter: 'category',
  read: (table, ids) => findRecords(table, ids.map(categoryKey), CategoryRecord),
  lock: ({ slug }) => categorySlugKey(slug),
  ownerOf: ({ id }) => ({ id: Number(id), reason: 'There is a category with this slug.' }),
  create: async ({ table }, { record: { type, ...members } }, id, work) =>
    work.commit(await categoryCreation(table, { ...members, id })),
  update: async ({ work }, { record: { name, slug, description } }, id) => {
    await changeCategory(work(), { id, requireMatch }, { name, slug, description })
  },
}

/** Accounts, without tokens. An account that is here already stays as it is. */
const USERS: Kind<RecordOf<'user'>> = {
  type: 'user',
  counter: 'user',
  read: async (table, ids, withPasswords) => {
    const [users, passwordIn] = await Promise.all([
      findRecords(table, ids.map(userKey), User),
      findItems(table, withPasswords ? ids.map(passwordKey) : []),
    ])
    return users.map(({ ban, ...user }) => ({
      ...user,
      ban: ban && { reason: ban.reason, until: ban.until === null ? null : isoTime(ban.until) },
      password_hash: passwordIn(passwordKey(user.id))?.hash,
    }))
  },
  lock: ({ email }) => emailKey(foldedEmail(email)),
  ownerOf: ({ user_id }) => ({ id: Number(user_id), reason: 'There is an account with this address.' }),
  create: async (_, { record }, id, work) => {
    const { type, password_hash, ...members } = record
    const user: User = { ...members, id, first_valid_token: 0, revision: 1 }
    await work.commit({
      actions: creationActions(user, password_hash ?? null),
      lists: { after: listEntriesOf(user) },
    })
  },
  /** Never the address or the password, which only the owner of the account may change. */
  update: async ({ table }, { record: { name, bio, avatar } }, id) => {
    await changeUser(table, id, user => changedProfile(user, { name, bio, avatar }))
  },
}

type PostRecord = RecordOf<'post'>

const POSTS: Kind<PostRecord> = {
  type: 'post',
  counter: 'post',
  read: readPosts,
  lock: ({ slug }) => slugKey(slug),
  /** Comments of another post with the same slug do not belong to the one that is here. */
  ownerOf: ({ id }) => ({ id: 0, reason: `Its slug is that of post ${Number(id)}.` }),
  /** With the dates and the version that it had. Its publication counts as announced if it is public. */
  create: async (job, entry, id, work) => {
    const { record } = entry
    const { slug, body, is_published, posted_at, created_at, updated_at, version } = record
    const { nowMs, nowSeconds } = work
    const [references, packed] = await Promise.all([
      referencesOf(job, entry),
      packText(job.table, body, nowMs),
    ])
    const date = is_published ? (posted_at ?? created_at) : posted_at
    const input = { ...inputOf(record), ...references, posted_at: date }
    const post = newPost(input, { id, slug, authorId: references.author_id, nowSeconds })
    const after = { ...post, created_at, updated_at, version, body_version: version }
    const bodyActions = replaceBody(id, version, packed, undefined, nowMs)
    await commitPost(work, { before: null, after, body, bodyActions, doc: undefined })
  },
  update: async (job, entry, id) => {
    const references = await referencesOf(job, entry)
    await updatePost(job.work(), { id, requireMatch }, { ...inputOf(entry.record), ...references })
  },
}

/** Posts and pages with their bodies, each as one version of it. */
async function readPosts(table: Table, ids: number[]) {
  const [posts, bodyIn, categories] = await Promise.all([
    findRecords(table, ids.map(postKey), Post),
    findItems(table, ids.map(bodyKey)),
    listCachedCategories(table),
  ])
  const existing = new Set(categories.map(({ id }) => id))
  const found = await Promise.all(
    posts.map(async post => {
      const body = await bodyTextOf(table, post, bodyIn(bodyKey(post.id)))
      // The post was changed between the reads of its items.
      return body === undefined ? await findPostWithBody(table, post.id) : { post, body }
    }),
  )
  // Deleted categories stay in the record until the post is written the next time.
  return found.flatMap(one => {
    if (!one) return []
    const { post, body } = one
    return [{ ...post, body, category_ids: post.category_ids.filter(id => existing.has(id)) }]
  })
}

/** The members that a request has. */
function inputOf({ type, id, created_at, updated_at, version, ...members }: PostRecord) {
  return members
}

/** What of the references is not here is left out. */
async function referencesOf(job: ImportJob, { record, notes }: Entry<PostRecord>) {
  const author = job.ids.get(`user:${record.author_id}`)
  const ids = [...new Set(record.category_ids.flatMap(id => job.ids.get(`category:${id}`) ?? []))]
  // One may have been deleted since.
  const here = ids.length > 0 ? await findCategoryNames(job.table, ids) : new Map()
  const category_ids = ids.filter(id => here.has(id))
  const isWhole = category_ids.length === new Set(record.category_ids).size
  if (author === undefined && record.author_id !== NOWHERE) notes.push('Its author was not imported.')
  if (!isWhole) notes.push('One of its categories was not imported.')
  return { author_id: author ?? (await job.defaultAuthor()), category_ids }
}

export const CONTENT: Kind[] = [SETTINGS, MENUS, CATEGORIES, USERS, POSTS]
