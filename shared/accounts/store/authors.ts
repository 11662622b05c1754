// Reads public profiles: the names and pictures of authors.
import type { Table } from '../../table/client.ts'
import { authorKey } from '../../table/design.ts'
import { Author } from '../author.ts'

/** The profiles with these ids. Missing ones are left out. */
export async function findAuthors(table: Table, ids: Iterable<number>): Promise<Map<number, Author>> {
  const keys = [...new Set(ids)].map(authorKey)
  const items = await table.findMany(keys)
  // Of an erased account, the number of its public posts may be left.
  const authors = items.flatMap(item => (item.name === undefined ? [] : [Author.parse(item)]))
  return new Map(authors.map(author => [author.id, author]))
}
