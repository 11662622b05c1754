// Reads public profiles: the names and pictures of authors.
import type { Table } from '../../table/client.ts'
import { authorKey } from '../../table/design.ts'
import { Author } from '../author.ts'

/** The profiles with these ids. Missing ones are left out. */
export async function findAuthors(table: Table, ids: Iterable<number>): Promise<Map<number, Author>> {
  const keys = [...new Set(ids)].map(authorKey)
  const authors = (await table.findMany(keys)).map(item => Author.parse(item))
  return new Map(authors.map(author => [author.id, author]))
}
