// Fills pages so that each, when it is compressed, is as long as an item of one unit may be. No I/O.
import { compressPage, type PackedEntry, packEntry } from './page.ts'

/** A page by its first term, compressed. */
export type FilledPage = { term: string; bytes: Uint8Array }

/** Of one read unit or four write units, the key and the names of attributes take the rest. */
export const PAGE_BYTES = 4_050
/** A page with less room than a few entries need is full. */
const ROOM = 60
/** What compression leaves of a page is known after the first one. */
const FIRST_RATIO = 0.5
/** An estimate that is too high costs another compression, as one that is too low. */
const CAUTION = 0.98
const LONGEST_PAGE = 60_000

export function openPageFiller() {
  let entries: PackedEntry[] = []
  let packed: Uint8Array[] = []
  let [length, tryAt, ratio] = [0, 0, FIRST_RATIO]

  const append = (entry: PackedEntry): void => {
    const bytes = packEntry(entry, entries.at(-1)?.term ?? '')
    entries.push(entry)
    packed.push(bytes)
    length += bytes.length
  }

  /** The first entries, as many as fit and at least one. The others begin the next page. */
  const cutPage = (whole: Uint8Array, most: number): FilledPage => {
    let [bytes, count] = [whole, entries.length]
    while (bytes.length > most && count > 1) {
      for (let excess = (bytes.length - most) / ratio; excess > 0 && count > 1; ) {
        excess -= packed[--count]?.length ?? 0
      }
      bytes = compressPage(packed.slice(0, count))
    }
    const page = { term: entries[0]?.term ?? '', bytes }
    const others = entries.slice(count)
    entries = []
    packed = []
    length = 0
    for (const entry of others) append(entry)
    return page
  }

  /** Returns a page if it is full. `most`: the most bytes of a page. */
  const add = (entry: PackedEntry, most: number): FilledPage | undefined => {
    if (length === 0) tryAt = estimate(most)
    append(entry)
    if (length < tryAt) return undefined
    const bytes = compressPage(packed)
    ratio = bytes.length / length
    const isFull = bytes.length > most - ROOM || length >= LONGEST_PAGE
    const page = isFull ? cutPage(bytes, most) : undefined
    tryAt = isFull ? estimate(most) : Math.max(length + 1, estimate(most))
    return page
  }

  const estimate = (most: number): number => Math.min(LONGEST_PAGE, (CAUTION * most) / ratio)

  /** The pages of the entries that are left. */
  const end = (most: number): FilledPage[] => {
    const pages: FilledPage[] = []
    while (entries.length > 0) pages.push(cutPage(compressPage(packed), most))
    return pages
  }

  return { add, end }
}
