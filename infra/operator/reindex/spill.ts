// A temporary file of items, which the segments of a rebuild are in until they are merged into one.
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DocumentChange, type Entry, entriesOf } from '../../../shared/search/entry.ts'
import { type MergeInput, postsOf } from '../../../shared/search/segment-merge.ts'
import { openSegmentWriter } from '../../../shared/search/segment-writer.ts'
import { entriesOfPages, type ReadNumbers } from '../../../shared/search/store/segment-entries.ts'

/** Takes about 100 MB of memory for texts of usual length. */
const POSTS_AT_ONCE = 2_000

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

  const spilled = async (entries: Entry[]) => {
    const writer = openSegmentWriter({ hasPrefixes: false })
    for (const entry of entries) writer.add(entry)
    writer.endPage()
    const places: { at: number; length: number }[] = []
    const items = writer.take()
    const start = end
    for (const { bytes } of items) {
      places.push({ at: end, length: bytes.length })
      end += bytes.length
    }
    const bytes = Buffer.concat(items.map(({ bytes }) => bytes))
    await file.write(bytes, 0, bytes.length, start)
    const read: ReadNumbers = numbers =>
      Promise.all(
        numbers.map(async n => {
          const { at, length } = places[n] ?? { at: 0, length: 0 }
          return (await file.read(Buffer.alloc(length), 0, length, at)).buffer
        }),
      )
    return entriesOfPages(writer.pages(), read)
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
