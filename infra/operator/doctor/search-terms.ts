// Compares the postings of suspected terms with what the index has of each post, while the service runs.
import { isDeepStrictEqual } from 'node:util'
import { postingsOf } from '../../../shared/search/document.ts'
import type { Posting } from '../../../shared/search/posting.ts'
import { countsOfList } from '../../../shared/search/posting-list.ts'
import {
  findIndexRecord,
  IndexRecordItem,
  readIndexRecord,
} from '../../../shared/search/store/index-record.ts'
import { allPostings, findPostingList } from '../../../shared/search/store/posting-lists.ts'
import type { Table } from '../../../shared/table/client.ts'
import { kindOf } from '../../../shared/table/design.ts'
import type { Item } from '../../../shared/table/key.ts'
import type { Kind } from '../../../shared/table/kinds.ts'

/** `except` are posts with a problem that is reported already. */
type SuspectedTerms = { names: Set<string>; except: Set<number> }

/** By the id of the post. */
type Postings = Map<number, Posting>

export async function wrongTerms(
  table: Table,
  { names, except }: SuspectedTerms,
  readAll: () => AsyncIterable<Item[]>,
): Promise<string[]> {
  if (names.size === 0) return []
  const expected = await expectedPostings(table, names, readAll())
  const wrong: string[] = []
  for (const name of names) {
    if (await isWrong(table, name, expected.get(name) ?? new Map(), except)) wrong.push(name)
  }
  return wrong
}

async function expectedPostings(
  table: Table,
  names: Set<string>,
  all: AsyncIterable<Item[]>,
): Promise<Map<string, Postings>> {
  const expected = new Map([...names].map(name => [name, new Map<number, Posting>()]))
  for await (const items of all) {
    for (const item of items) {
      if (kindOf(item.pk) !== ('DOC' satisfies Kind)) continue
      const [doc] = (await readIndexRecord(table, IndexRecordItem.parse(item)))?.docs ?? []
      if (doc) for (const [name, posting] of postingsOf(doc)) expected.get(name)?.set(doc.id, posting)
    }
  }
  return expected
}

async function isWrong(
  table: Table,
  name: string,
  expected: Postings,
  except: Set<number>,
): Promise<boolean> {
  const found = await readPostings(table, name)
  const ids = new Set([...expected.keys(), ...found.postings.keys()])
  for (const id of ids) {
    if (!except.has(id) && !isDeepStrictEqual(expected.get(id), found.postings.get(id))) {
      if (await isWrongFor(table, name, id)) return true
    }
  }
  return !found.isCountRight && !(await readPostings(table, name)).isCountRight
}

/** Wrong at one moment: no run was indexing the post before or after its posting was read. */
async function isWrongFor(table: Table, name: string, id: number): Promise<boolean> {
  const before = await findIndexRecord(table, id)
  const { postings } = await readPostings(table, name)
  const after = await findIndexRecord(table, id)
  if (before.state !== 'indexed' || before.stored?.stamp !== after.stored?.stamp) return false
  const [doc] = before.docs
  return !isDeepStrictEqual(doc && postingsOf(doc).get(name), postings.get(id))
}

/** `isCountRight`: the term's count is the number of its postings. */
async function readPostings(
  table: Table,
  name: string,
): Promise<{ postings: Postings; isCountRight: boolean }> {
  const list = await findPostingList(table, name)
  const all = list ? await allPostings(table, list) : []
  const { posts, pages } = list ? countsOfList(list) : { posts: 0, pages: 0 }
  return {
    postings: new Map(all.map(posting => [posting.id, posting])),
    isCountRight: posts + pages === all.length,
  }
}
