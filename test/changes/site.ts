// A site on a table of its own, with a clock: writes by the commands, and polls as a builder makes them.
import { onTestFinished } from 'vitest'
import { changeUser, createUser } from '../../shared/accounts/commands/users.ts'
import type { User } from '../../shared/accounts/user.ts'
import { changeCategory, createCategory, deleteCategory } from '../../shared/categories/commands.ts'
import { Change } from '../../shared/changes/contract.ts'
import { type ChangesQuery, showChanges } from '../../shared/changes/store.ts'
import { announceDue } from '../../shared/posts/commands/announce.ts'
import { deletePost, updatePost } from '../../shared/posts/commands/change.ts'
import { createPost } from '../../shared/posts/commands/create.ts'
import type { PostChange, PostInput } from '../../shared/posts/fields.ts'
import { openTable, type Table } from '../../shared/table/client.ts'
import { newTable } from '../support/new-table.ts'
import type { TableWorld } from '../support/table.ts'
import { unitOfWorkOn } from '../support/work.ts'

export const START_MS = Date.parse('2026-01-01T12:00:00Z')
const CURSOR_PLACE = { key: 'a key of at least sixteen', place: 'changes' }
/** So old that a reader does not wait for the rest of a transaction. */
const SETTLED_MS = 6_000

function requireMatch(): void {}

/** `table`: as one function opened it. */
export async function openSite({ client, tableName }: Pick<TableWorld, 'client' | 'tableName'>) {
  const table: Table = openTable(client, tableName)
  let nowMs = START_MS
  const profile = { name: 'Ada', email: 'ada@example.com', email_verified: true, password_hash: null }
  const author = await createUser(table, profile, nowMs / 1000)
  const work = () => unitOfWorkOn(table, nowMs)

  const poll = async (since?: string, query: Partial<ChangesQuery> = {}) => {
    nowMs += SETTLED_MS
    const source = { table, nowMs, cursorPlace: CURSOR_PLACE }
    const { data, cursor } = await showChanges(source, { limit: 100, ...query, since })
    for (const change of data) Change.parse(change)
    return { data, next: cursor?.next ?? '', more: cursor?.more === true }
  }
  /** All changes since a cursor, in answers of a few. */
  const pollAll = async (since: string, query: Partial<ChangesQuery> = {}) => {
    const data: Change[] = []
    let cursor = since
    for (let more = true; more; ) {
      const answer = await poll(cursor, query)
      data.push(...answer.data)
      cursor = answer.next
      more = answer.more
    }
    return { data, next: cursor }
  }
  return {
    table,
    author,
    work,
    poll,
    pollAll,
    nowMs: () => nowMs,
    advance: (ms: number) => {
      nowMs += ms
    },
    post: async (input: Partial<PostInput> = {}, authorId = author.id) => {
      const all = { title: 'A post', is_published: true, ...input }
      return (await createPost(work(), all, authorId)).data
    },
    changeUser: (id: number, change: Partial<Pick<User, 'name' | 'avatar' | 'bio'>>) =>
      changeUser(
        table,
        id,
        user => ({ ...user, ...change }),
        all => work().commit(all),
      ),
    announce: (post: { id: number }, dueSeconds: number) =>
      announceDue(work(), { kind: 'due', post_id: post.id, posted_at: dueSeconds }),
    change: (id: number, change: PostChange) => updatePost(work(), { id, requireMatch }, change),
    remove: (id: number) => deletePost(work(), { id, requireMatch }),
    category: async (name: string) => (await createCategory(work(), { name, description: '' })).data,
    rename: (id: number, change: { name?: string; slug?: string; description?: string }) =>
      changeCategory(work(), { id, requireMatch }, change),
    removeCategory: (id: number) => deleteCategory(work(), { id, requireMatch }),
  }
}

export type Site = Awaited<ReturnType<typeof openSite>>

/** A site whose table no other test uses. */
export async function openOwnSite() {
  const own = await newTable()
  onTestFinished(own.stop)
  return { ...(await openSite(own)), measure: own.measure }
}

/** `post 1 upserted`, in the order of the answer. */
export function linesOf(changes: Change[]): string[] {
  return changes.map(({ type, id, slug, change, previous_slug }) =>
    [type, id, slug, change, ...(previous_slug === undefined ? [] : [`was ${previous_slug}`])]
      .filter(part => part !== null)
      .join(' '),
  )
}
