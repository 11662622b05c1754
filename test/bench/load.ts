// Loads a generated site into an empty table with the service's own commands, several posts per transaction.
import { createUser, showAuthor } from '../../shared/accounts/commands/users.ts'
import { createCategory } from '../../shared/categories/commands.ts'
import { createComment } from '../../shared/comments/commands.ts'
import { startUnitOfWork, type UnitOfWork } from '../../shared/events/unit-of-work.ts'
import { type ListEntry, writeWithLists } from '../../shared/lists/counted-list.ts'
import { ownActions, replaceBody } from '../../shared/posts/commands/commit.ts'
import { listEntriesOf } from '../../shared/posts/lists.ts'
import { newPost } from '../../shared/posts/post.ts'
import { packText } from '../../shared/table/blob.ts'
import type { Table } from '../../shared/table/client.ts'
import { counterKey } from '../../shared/table/design.ts'
import { retryOnConflict } from '../../shared/table/retry-on-conflict.ts'
import { droppingSender } from '../world/work.ts'
import { type IndexLoad, openIndexLoad } from './load-index.ts'
import { AUTHORS, CATEGORIES, type Site, type SitePost } from './site.ts'

/** Fit into the 100 actions of a transaction: posts with their records, entries with the nodes above them. */
const POSTS_AT_ONCE = 16
const ENTRIES_AT_ONCE = 90
/** The post with comments. */
export const COMMENTED_POST = 1
const COMMENTS = 40
/** The time of the load, in epoch seconds; most posts are older. */
export const LOADED_AT = Date.parse('2025-01-01T00:00:00Z') / 1000

/** A post's number is its id. No event is fired, since there are no subscribers yet. */
export async function loadSite(table: Table, site: Site): Promise<void> {
  const work = startUnitOfWork({
    table,
    sender: droppingSender,
    nowMs: LOADED_AT * 1000,
    requestId: 'bench',
    siteUrl: async () => 'https://site.example',
    log: String,
  })
  await createCategories(work)
  const authors = await createAuthors(table)
  const lists = new Map<string, ListEntry[]>()
  const index = await openIndexLoad(table)
  const prepareFrom = (first: number) => prepareMany(work, site, first, authors, index)
  let nextBatch = prepareFrom(1)
  for (let first = 1; first <= site.count; first += POSTS_AT_ONCE) {
    const posts = await nextBatch
    // Prepares the next batch while the database writes this one.
    nextBatch = prepareFrom(first + POSTS_AT_ONCE)
    for (const entry of posts.flatMap(({ entries }) => entries)) {
      lists.set(entry.list.name, [...(lists.get(entry.list.name) ?? []), entry])
    }
    const full = [...lists.values()].filter(entries => entries.length >= ENTRIES_AT_ONCE)
    const listing = full.map(entries => addToList(table, entries.splice(0, ENTRIES_AT_ONCE)))
    await Promise.all([table.transact(posts.flatMap(({ actions }) => actions)), ...listing])
    await index.writeFull()
  }
  await Promise.all([...lists.values()].map(entries => addToList(table, entries)))
  await index.write()
  await createComments(work)
  await table.write({ Put: { Item: { ...counterKey('post'), last: site.count } } })
}

async function createCategories(work: UnitOfWork): Promise<void> {
  for (let n = 1; n <= CATEGORIES; n++) {
    const input = {
      name: `Category ${n}`,
      description: `All that is of the kind ${n}, and what comes near it.`,
    }
    const { data } = await createCategory(work, input)
    if (data.id !== n) throw new Error('The table already has categories. Load into an empty table.')
  }
}

async function createAuthors(table: Table): Promise<number[]> {
  const ids: number[] = []
  for (let n = 1; n <= AUTHORS; n++) {
    const email = `author-${n}@example.com`
    const input = { name: `Author ${n}`, email, email_verified: true, password_hash: null }
    const { id } = await createUser(table, input, LOADED_AT)
    await table.transact([showAuthor(id)])
    ids.push(id)
  }
  return ids
}

/** Three pages of comments on one post. */
async function createComments(work: UnitOfWork): Promise<void> {
  const guest = { name: 'A guest', email: 'guest@example.com' }
  for (let n = 1; n <= COMMENTS; n++) {
    const body = `What a guest says, for the ${n}th time.`
    await createComment(work, { post: COMMENTED_POST, parent_id: null, user_id: null, guest, body }, false)
  }
}

function prepareMany(
  { table, nowMs }: UnitOfWork,
  site: Site,
  first: number,
  authors: number[],
  index: IndexLoad,
) {
  const most = Math.max(0, Math.min(POSTS_AT_ONCE, site.count - first + 1))
  const ids = Array.from({ length: most }, (_, n) => first + n)
  return Promise.all(ids.map(id => prepare(table, site.post(id), authors, nowMs, index)))
}

async function prepare(
  table: Table,
  { id, author, input }: SitePost,
  authors: number[],
  nowMs: number,
  index: IndexLoad,
) {
  const nowSeconds = Math.min(LOADED_AT, input.posted_at)
  const post = {
    ...newPost(input, { id, slug: input.slug, authorId: authors[author] ?? 0, nowSeconds }),
    revision: 1,
  }
  const [packed, indexing] = await Promise.all([
    packText(table, input.body, nowMs),
    index.add(post, input.body),
  ])
  const replaced = replaceBody(id, post.body_version, packed, undefined, nowMs)
  return {
    actions: [...ownActions(null, post), ...replaced, ...indexing],
    entries: listEntriesOf(post),
  }
}

/** Adds entries to one list, as every command does. */
function addToList(table: Table, entries: ListEntry[]): Promise<void> {
  return retryOnConflict(() =>
    writeWithLists(table, { after: entries }, listActions => table.transact(listActions)),
  )
}
