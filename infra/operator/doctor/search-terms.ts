// Search terms in doubt, while the service runs: their postings are held against what the index notes of each post.
import { isDeepStrictEqual } from 'node:util'
import { postingsOf } from '../../../shared/search/doc.ts'
import type { Posting } from '../../../shared/search/posting.ts'
import { findDoc, readNoted, Stored } from '../../../shared/search/store/docs.ts'
import { allPostings, termNamed } from '../../../shared/search/store/terms.ts'
import { countOf } from '../../../shared/search/term.ts'
import type { Table } from '../../../shared/table/client.ts'
import { kindOf } from '../../../shared/table/design.ts'
import type { Item } from '../../../shared/table/key.ts'
import type { Kind } from '../../../shared/table/kinds.ts'

/** `apart` are posts that are told of by themselves. */
type Doubted = { names: Set<string>; apart: Set<number> }

type ById = Map<number, Posting>

export async function wrongTerms(
  table: Table,
  { names, apart }: Doubted,
  readAgain: () => AsyncIterable<Item[]>,
): Promise<string[]> {
  if (names.size === 0) return []
  const expected = await expectedIn(table, names, readAgain())
  const wrong: string[] = []
  for (const name of names) {
    if (await isWrong(table, name, expected.get(name) ?? new Map(), apart)) wrong.push(name)
  }
  return wrong
}

async function expectedIn(
  table: Table,
  names: Set<string>,
  all: AsyncIterable<Item[]>,
): Promise<Map<string, ById>> {
  const expected = new Map([...names].map(name => [name, new Map<number, Posting>()]))
  for await (const items of all) {
    for (const item of items) {
      if (kindOf(item.pk) !== ('DOC' satisfies Kind)) continue
      const [doc] = (await readNoted(table, Stored.parse(item)))?.docs ?? []
      if (doc) for (const [name, posting] of postingsOf(doc)) expected.get(name)?.set(doc.id, posting)
    }
  }
  return expected
}

async function isWrong(table: Table, name: string, expected: ById, apart: Set<number>): Promise<boolean> {
  const found = await postingsIn(table, name)
  const ids = new Set([...expected.keys(), ...found.byId.keys()])
  for (const id of ids) {
    if (!apart.has(id) && !isDeepStrictEqual(expected.get(id), found.byId.get(id))) {
      if (await isWrongFor(table, name, id)) return true
    }
  }
  return !found.isCounted && !(await postingsIn(table, name)).isCounted
}

/** Wrong at one moment: no run had the post in its hands before or after its posting was read. */
async function isWrongFor(table: Table, name: string, id: number): Promise<boolean> {
  const before = await findDoc(table, id)
  const { byId } = await postingsIn(table, name)
  const after = await findDoc(table, id)
  if (before.state !== 'whole' || before.stored?.stamp !== after.stored?.stamp) return false
  const [doc] = before.docs
  return !isDeepStrictEqual(doc && postingsOf(doc).get(name), byId.get(id))
}

async function postingsIn(table: Table, name: string): Promise<{ byId: ById; isCounted: boolean }> {
  const [term] = await termNamed(table, name)
  const postings = term ? await allPostings(table, term) : []
  const { posts, pages } = term ? countOf(term) : { posts: 0, pages: 0 }
  return {
    byId: new Map(postings.map(posting => [posting.id, posting])),
    isCounted: posts + pages === postings.length,
  }
}
