// Puts a generated site into an empty table by the rules and plans of the service's own stores, several posts a transaction.
import { createUser } from '../../shared/accounts/commands/users.ts'
import { createCategory } from '../../shared/categories/commands.ts'
import { createComment } from '../../shared/comments/commands/create.ts'
import { startUnitOfWork, type UnitOfWork } from '../../shared/events/unit-of-work.ts'
import { type ListEntry, writeWithLists } from '../../shared/lists/counted-list.ts'
import { replaceBody } from '../../shared/posts/commands/body.ts'
import { ownActions } from '../../shared/posts/commands/commit.ts'
import { listEntriesOf } from '../../shared/posts/lists.ts'
import { newPost } from '../../shared/posts/post.ts'
import type { Table } from '../../shared/table/client.ts'
import { counterKey } from '../../shared/table/design.ts'
import { packText } from '../../shared/table/large-text.ts'
import { retryOnConflict } from '../../shared/table/retry-on-conflict.ts'
import { openIndexLoad } from './load-index.ts'
import { AUTHORS, CATEGORIES, type Site, type SitePost } from './site.ts'

/** What fits into the 100 actions of a transaction: posts by their own records, places with the nodes above them. */
const POSTS_AT_ONCE = 24
const PLACES_AT_ONCE = 90
/** The post with comments, and how many it has. */
export const TALKED_OF = 1
const COMMENTS = 40
/** When the site was made, for all that is not of the past. */
export const LOADED_AT = Date.parse('2025-01-01T00:00:00Z') / 1000

type Options = {
  /** Hears how much is in. */
  progress?: (what: string, share: number) => void
}

/** Ids are the posts' numbers. Nobody is told: there are no subscribers yet. */
export async function loadSite(
  table: Table,
  site: Site,
  { progress = () => undefined }: Options = {},
): Promise<void> {
  const work = startUnitOfWork({
    table,
    sender: { send: async messages => messages.map(() => ({ ok: true })) },
    nowMs: LOADED_AT * 1000,
    requestId: 'bench',
    siteUrl: async () => 'https://site.example',
    log: String,
  })
  await makeCategories(work)
  const authors = await makeAuthors(table)
  const lists = new Map<string, ListEntry[]>()
  const index = openIndexLoad(table)
  let ahead = prepareMany(work, site, 1, authors)
  for (let first = 1; first <= site.count; first += POSTS_AT_ONCE) {
    const posts = await ahead
    // The next are made ready while the database writes these.
    ahead = prepareMany(work, site, first + POSTS_AT_ONCE, authors)
    for (const place of posts.flatMap(({ places }) => places)) {
      lists.set(place.list.name, [...(lists.get(place.list.name) ?? []), place])
    }
    const full = [...lists.values()].filter(places => places.length >= PLACES_AT_ONCE)
    const entering = full.map(places => enter(table, places.splice(0, PLACES_AT_ONCE)))
    const indexing = posts.map(({ post, body }) => index.add(post, body))
    await Promise.all([table.transact(posts.flatMap(({ actions }) => actions)), ...entering, ...indexing])
    progress('posts', Math.min(1, (first + POSTS_AT_ONCE - 1) / site.count))
  }
  await Promise.all([...lists.values()].map(places => enter(table, places)))
  await index.write(share => progress('search index', share))
  await makeComments(work)
  await table.write({ Put: { Item: { ...counterKey('post'), last: site.count } } })
}

async function makeCategories(work: UnitOfWork): Promise<void> {
  for (let n = 1; n <= CATEGORIES; n++) {
    const input = {
      name: `Category ${n}`,
      description: `All that is of the kind ${n}, and what comes near it.`,
    }
    const { data } = await createCategory(work, input)
    if (data.id !== n) throw new Error('The table has categories already: load into an empty one.')
  }
}

async function makeAuthors(table: Table): Promise<number[]> {
  const ids: number[] = []
  for (let n = 1; n <= AUTHORS; n++) {
    const email = `author-${n}@example.com`
    const wanted = { name: `Author ${n}`, email, email_verified: true, password_hash: null }
    ids.push((await createUser(table, wanted, LOADED_AT)).id)
  }
  return ids
}

/** On one post, three pages of them. */
async function makeComments(work: UnitOfWork): Promise<void> {
  const guest = { name: 'A guest', email: 'guest@example.com' }
  for (let n = 1; n <= COMMENTS; n++) {
    const body = `What a guest says, for the ${n}th time.`
    await createComment(work, { post: TALKED_OF, parent_id: null, user_id: null, guest, body }, false)
  }
}

function prepareMany({ table, nowMs }: UnitOfWork, site: Site, first: number, authors: number[]) {
  const most = Math.max(0, Math.min(POSTS_AT_ONCE, site.count - first + 1))
  const ids = Array.from({ length: most }, (_, n) => first + n)
  return Promise.all(ids.map(id => prepare(table, site.post(id), authors, nowMs)))
}

async function prepare(table: Table, { id, author, input }: SitePost, authors: number[], nowMs: number) {
  const nowSeconds = Math.min(LOADED_AT, input.posted_at)
  const post = {
    ...newPost(input, { id, slug: input.slug, authorId: authors[author] ?? 0, nowSeconds }),
    revision: 1,
  }
  const packed = await packText(table, input.body, nowMs)
  return {
    post,
    body: input.body,
    actions: [...ownActions(null, post), ...replaceBody(id, post.body_version, packed, undefined, nowMs)],
    places: listEntriesOf(post),
  }
}

/** Places of one list, by the plan that any store makes. */
function enter(table: Table, places: ListEntry[]): Promise<void> {
  return retryOnConflict(() =>
    writeWithLists(table, { after: places }, listActions => table.transact(listActions)),
  )
}
