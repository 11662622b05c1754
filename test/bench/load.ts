// Loads a generated site into an empty table with the service's own commands, one record after the other.
import { createUser } from '../../shared/accounts/commands/users.ts'
import { createCategory } from '../../shared/categories/commands.ts'
import { createComment } from '../../shared/comments/commands.ts'
import { createPost } from '../../shared/posts/commands/create.ts'
import { updateIndex } from '../../shared/search/update-index.ts'
import type { Table } from '../../shared/table/client.ts'
import { unitOfWorkOn } from '../support/work.ts'
import { AUTHORS, CATEGORIES, type Site } from './site.ts'

/** The post with comments. */
export const COMMENTED_POST = 1
const COMMENTS = 40
/** The time of the load, in epoch seconds; most posts are older. */
export const LOADED_AT = Date.parse('2025-01-01T00:00:00Z') / 1000

const BEFORE_ALL_POSTS_MS = Date.parse('2014-01-01T00:00:00Z')

/** A post's number is its id. No event is fired, since there are no subscribers yet. */
export async function loadSite(table: Table, site: Site): Promise<void> {
  const before = unitOfWorkOn(table, BEFORE_ALL_POSTS_MS)
  for (let n = 1; n <= CATEGORIES; n++) {
    const description = `All that is of the kind ${n}, and what comes near it.`
    const { data } = await createCategory(before, { name: `Category ${n}`, description })
    if (data.id !== n) throw new Error('The table already has categories. Load into an empty table.')
  }
  const authors: number[] = []
  for (let n = 1; n <= AUTHORS; n++) {
    const email = `author-${n}@example.com`
    const profile = { name: `Author ${n}`, email, email_verified: true, password_hash: null }
    authors.push((await createUser(table, profile, LOADED_AT)).id)
  }
  for (let id = 1; id <= site.count; id++) {
    const { author, input } = site.post(id)
    const nowSeconds = Math.min(LOADED_AT, input.posted_at)
    const { data } = await createPost(unitOfWorkOn(table, nowSeconds * 1000), input, authors[author] ?? 0)
    if (data.id !== id) throw new Error('The table already has posts. Load into an empty table.')
  }
  // The second run deletes what the first one has replaced.
  for (const seconds of [LOADED_AT - 3_600, LOADED_AT]) {
    await updateIndex({ table, clock: () => seconds * 1000 })
  }
  const work = unitOfWorkOn(table, LOADED_AT * 1000)
  const guest = { name: 'A guest', email: 'guest@example.com' }
  for (let n = 1; n <= COMMENTS; n++) {
    const body = `What a guest says, for the ${n}th time.`
    await createComment(work, { post: COMMENTED_POST, parent_id: null, user_id: null, guest, body }, false)
  }
}
