// Plans which blocks contain one page of the hits of a clause, and takes the page from them. No I/O.
import { type Clause, isOfTypes, type SearchedTypes } from './clauses.ts'
import { addHeaviest } from './entry.ts'
import { byRank, isLarge, type LargeList, type Posting, type PostingList } from './posting.ts'

type PageOfHits = { types: SearchedTypes; skip: number; take: number }

/** `end` is the bound of the next block; undefined for the last one. */
type Span = { list: LargeList; index: number; start: Posting; end: Posting | undefined; count: number }

/** 1 for a posting that a source adds, -1 for one that it removes. */
type SignedPosting = { posting: Posting; sign: number }

type PagePlan = {
  page: PageOfHits
  blocks: { list: LargeList; index: number }[]
  known: SignedPosting[]
  /** The page is looked for from here on; undefined: from the first posting on. */
  from: Posting | undefined
  /** The number of hits in blocks before `from` that are not read. */
  before: number
  total: number
}

/**
 * Undefined if the lists must be read whole: with several terms a post can be in several lists, and only
 * small lists are known without another read. Which lists contain a hidden post is not known either.
 */
export function planPage({ sources }: Clause, page: PageOfHits): PagePlan | undefined {
  const known: SignedPosting[] = []
  const spans: Span[] = []
  for (const { minus, plus, hidden } of sources ?? []) {
    if (hidden && hidden.size > 0) return undefined
    if (minus.some(isLarge) || (plus.length > 1 && plus.some(isLarge))) return undefined
    const isWanted = (posting: Posting) => isOfTypes(page.types, posting)
    for (const posting of distinctPostings(minus).filter(isWanted)) known.push({ posting, sign: -1 })
    for (const posting of distinctPostings(plus).filter(isWanted)) known.push({ posting, sign: 1 })
    for (const span of plus.filter(isLarge).flatMap(list => spansOf(list, page.types))) spans.push(span)
  }
  const total = sumOf(spans, ({ count }) => count) + sumOf(known, ({ sign }) => sign)
  const bounds = spans.map(({ start }) => start).sort(byRank)
  const surely = (bound: Posting) =>
    sumOf(spans, span => (endsBy(span, bound) ? span.count : 0)) +
    sumOf(known, ({ posting, sign }) => (byRank(posting, bound) < 0 ? sign : 0))
  const atMost = (bound: Posting) =>
    surely(bound) + sumOf(spans, span => (startsBefore(span, bound) && !endsBy(span, bound) ? span.count : 0))
  const from = page.skip === 0 ? undefined : bounds.findLast(bound => atMost(bound) <= page.skip)
  const to = bounds.find(
    bound => (!from || byRank(bound, from) >= 0) && surely(bound) >= page.skip + page.take,
  )
  const isBefore = (span: Span) => from !== undefined && endsBy(span, from)
  const blocks = spans.filter(span => !isBefore(span) && (!to || startsBefore(span, to)))
  return { page, blocks, known, from, before: sumOf(spans.filter(isBefore), ({ count }) => count), total }
}

/** `read`: the postings of the planned blocks. In rank order. */
export function takePage({ page, known, from, before }: PagePlan, read: Posting[]): Posting[] {
  const signed = [
    ...known,
    ...read.filter(posting => isOfTypes(page.types, posting)).map(posting => ({ posting, sign: 1 })),
  ].sort((a, b) => byRank(a.posting, b.posting))
  const hits: Posting[] = []
  let passed = before
  for (let n = 0; n < signed.length; ) {
    const first = signed[n]
    if (!first) break
    let sign = 0
    while (signed[n] && byRank(signed[n]?.posting ?? first.posting, first.posting) === 0) {
      sign += signed[n]?.sign ?? 0
      n++
    }
    if (from && byRank(first.posting, from) < 0) {
      passed += sign
    } else if (sign > 0) {
      hits.push(first.posting)
    }
  }
  return hits.slice(page.skip - passed, page.skip - passed + page.take)
}

function distinctPostings(lists: PostingList[]): Posting[] {
  const postings = new Map<number, Posting>()
  for (const list of lists) {
    if (!isLarge(list)) for (const posting of list.postings) addHeaviest(postings, posting)
  }
  return [...postings.values()]
}

function spansOf(list: LargeList, types: SearchedTypes): Span[] {
  return list.blocks.map((block, index) => ({
    list,
    index,
    start: block.bound,
    end: list.blocks[index + 1]?.bound,
    count: types === 'posts' ? block.posts : block.posts + block.pages,
  }))
}

function endsBy({ end }: Span, bound: Posting): boolean {
  return end !== undefined && byRank(end, bound) <= 0
}

function startsBefore({ start }: Span, bound: Posting): boolean {
  return byRank(start, bound) < 0
}

function sumOf<T>(all: T[], numberOf: (one: T) => number): number {
  return all.reduce((sum, one) => sum + numberOf(one), 0)
}
