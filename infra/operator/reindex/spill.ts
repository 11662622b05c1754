// A temporary file of items, which the segments of a rebuild are in until they are merged into one.
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DocumentChange, type Entry, entriesOf } from '../../../shared/search/entry.ts'
import { type MergeInput, postsOf } from '../../../shared/search/merge-entries.ts'
import { packEntry, packedEntriesIn, packList, postingsOf } from '../../../shared/search/page.ts'

/** Takes about 100 MB of memory for texts of usual length. */
const POSTS_AT_ONCE = 2_000

/** Each is in memory while its entries are merged. */
const PAGE_BYTES = 100_000

type Place = { at: number; length: number }

export type Spill = Awaited<ReturnType<typeof openSpill>>

export async function openSpill() {
  const folder = await mkdtemp(join(tmpdir(), 'reindex-'))
  const file = await open(join(folder, 'segments'), 'w+')
  const inputs: MergeInput[] = []
  let changes: DocumentChange[] = []
  let end = 0

  const add = async (after: DocumentChange['after']): Promise<void> => {
    changes.push({ before: undefined, after })
    if (changes.length >= POSTS_AT_ONCE) await flush()
  }

  const flush = async (): Promise<void> => {
    if (changes.length === 0) return
    const entries = entriesOf(changes)
    changes = []
    inputs.push({ entries: await spilled(entries), posts: postsOf(entries[0]) })
  }

  const spilled = async (entries: Entry[]): Promise<MergeInput['entries']> => {
    const places: Place[] = []
    for (const page of pagesOf(entries)) {
      await file.write(page, 0, page.length, end)
      places.push({ at: end, length: page.length })
      end += page.length
    }
    return readPages(places)
  }

  const readPages = async function* (places: Place[]): AsyncGenerator<Entry, void, void> {
    for (const { at, length } of places) {
      const { buffer } = await file.read(Buffer.alloc(length), 0, length, at)
      for (const entry of packedEntriesIn(buffer)) yield { term: entry.term, ...postingsOf(entry) }
    }
  }

  /** All that was added. Oldest first. */
  const read = async (): Promise<MergeInput[]> => {
    await flush()
    return inputs
  }

  const remove = async () => {
    await file.close()
    await rm(folder, { recursive: true })
  }
  return { add, read, [Symbol.asyncDispose]: remove }
}

/** As in a segment, but not compressed, and without blocks of long lists. */
function* pagesOf(entries: Entry[]): Generator<Uint8Array> {
  let page: Uint8Array[] = []
  let [length, lastTerm] = [0, '']
  for (const { term, plus, minus } of entries) {
    const packed = { term, plus: packList({ postings: plus }), minus: packList({ postings: minus }) }
    const bytes = packEntry(packed, lastTerm)
    page.push(bytes)
    length += bytes.length
    lastTerm = term
    if (length < PAGE_BYTES) continue
    yield Buffer.concat(page)
    page = []
    length = 0
    lastTerm = ''
  }
  if (length > 0) yield Buffer.concat(page)
}
