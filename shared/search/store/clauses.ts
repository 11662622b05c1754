// Reads the clauses of a search, each with the lists that answer it, in all segments and pending posts.
import type { Table } from '../../table/client.ts'
import { type Clause, categoryClause, type Source, wordClause } from '../clause.ts'
import { categoryTerm, type SearchDocument, weightOfPrefix } from '../document.ts'
import { byTerm, type DocumentChange, endOfPrefix, isPrefixLength, type Lists, prefixTerm } from '../entry.ts'
import type { Segment } from '../manifest.ts'
import { listsOf, type PageIndex, packedEntriesIn, pagesOfRange } from '../page.ts'
import type { PostingList } from '../posting-list.ts'
import { LIGHTEST } from '../weights.ts'
import { readIndexes, readPages } from './segment-items.ts'

/** Terms from `from` up to `to`, which is not among them. */
type Range = { from: string; to: string }

type Wanted = { rangeIn: (segment: Segment) => Range; ofDoc: (doc: SearchDocument) => number | undefined }

/** The rarest first. All pages are read in one round trip, after the indexes that are not in memory. */
export async function readClauses(
  table: Table,
  { words, categoryId }: { words: string[]; categoryId: number | undefined },
  segments: Segment[],
  { reading, hidden }: { reading: Promise<DocumentChange[] | undefined>; hidden: Set<number> },
): Promise<Clause[]> {
  const indexes = await readIndexes(table, segments)
  const ids = categoryId === undefined ? [] : [categoryId]
  const wanted = [...words.map(wantedWord), ...ids.map(wantedCategory)]
  const parts = wanted.map(one => partsOf(one, segments, indexes))
  const pages = (await readPages(table, parts.flat())).values()
  const sources = parts.map(ofWanted => sourcesOf(segments, ofWanted, pages))
  const pending = (await reading) ?? []
  const all = wanted.map((one, n) => [...(sources[n] ?? []), { ...sourceOfPending(pending, one), hidden }])
  return [
    ...words.map((word, n) => wordClause(word, all[n])),
    ...ids.map(id => categoryClause(id, all[words.length] ?? [])),
  ].sort((a, b) => a.count - b.count)
}

function wantedWord(word: string): Wanted {
  return {
    rangeIn: ({ hasPrefixes }) =>
      hasPrefixes && isPrefixLength(word)
        ? rangeOfTerm(prefixTerm(word))
        : { from: word, to: endOfPrefix(word) },
    ofDoc: doc => weightOfPrefix(doc, word),
  }
}

function wantedCategory(id: number): Wanted {
  const term = categoryTerm(id)
  const ofDoc = (doc: SearchDocument) => (doc.category_ids.includes(id) ? LIGHTEST : undefined)
  return { rangeIn: () => rangeOfTerm(term), ofDoc }
}

function rangeOfTerm(term: string): Range {
  return { from: term, to: `${term}\u0000` }
}

/** A page of a segment that can contain terms of the range. */
type Part = { segment: string; n: number; range: Range }

function partsOf(wanted: Wanted, segments: Segment[], indexes: PageIndex[]): Part[] {
  return segments.flatMap((segment, n) => {
    const range = wanted.rangeIn(segment)
    const index = indexes[n]
    const pages = index ? pagesOfRange(index, range.from, range.to) : []
    return pages.map(page => ({ segment: segment.name, n: page, range }))
  })
}

/** Takes the pages of its parts from `pages`. */
function sourcesOf(segments: Segment[], parts: Part[], pages: Iterator<Uint8Array>): Source[] {
  const bySegment = new Map(segments.map(({ name }): [string, Lists[]] => [name, []]))
  for (const { segment, range } of parts) {
    const page: Uint8Array = pages.next().value ?? new Uint8Array()
    for (const lists of listsInRange(segment, page, range)) bySegment.get(segment)?.push(lists)
  }
  return [...bySegment.values()].map(sourceOf)
}

function* listsInRange(segment: string, page: Uint8Array, { from, to }: Range): Generator<Lists> {
  for (const entry of packedEntriesIn(page)) {
    if (byTerm(entry.term, to) >= 0) return
    if (byTerm(entry.term, from) >= 0) yield listsOf(segment, entry)
  }
}

function sourceOf(lists: Lists[]): Source {
  const filled = (all: PostingList[]) => all.filter(list => 'blocks' in list || list.postings.length > 0)
  return { minus: filled(lists.map(({ minus }) => minus)), plus: filled(lists.map(({ plus }) => plus)) }
}

function sourceOfPending(pending: DocumentChange[], { ofDoc }: Wanted): Source {
  const listOf = (docs: (SearchDocument | undefined)[]): PostingList[] => {
    const postings = docs.flatMap(doc => {
      const weight = doc && ofDoc(doc)
      return doc && weight !== undefined
        ? [{ weight, posted_at: doc.posted_at, id: doc.id, is_page: doc.is_page }]
        : []
    })
    return postings.length > 0 ? [{ postings }] : []
  }
  return {
    minus: listOf(pending.map(({ before }) => before)),
    plus: listOf(pending.map(({ after }) => after)),
  }
}
