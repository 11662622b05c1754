// Finding posts by words: every word must begin one of the post's, and the better its field the better the find.
import type { Table } from '../table/client.ts'
import { categoryTerm } from './doc.ts'
import { listUnindexed } from './doc-store.ts'
import { byRank, type Posting } from './posting.ts'
import { countOf, type Term } from './term.ts'
import {
  allPostings,
  countIn,
  isWanted,
  type Kinds,
  postingsOfPosts,
  sizeFor,
  somePostings,
  termNamed,
  termsBeginning,
} from './term-read.ts'

export type Asked = {
  /** As `searchedWords` gives them; none finds nothing. */
  words: string[]
  categoryId?: number | undefined
  kinds: Kinds
  skip: number
  take: number
}

export type Finds = { ids: number[]; total: number }

/** What a word or a category asks for: a post with any of the terms, which counts for the weight of the best. */
type Source = { terms: Term[]; isWeighed: boolean }

export const findPosts = async (table: Table, asked: Asked): Promise<Finds> => {
  const { words, categoryId } = asked
  if (words.length === 0) return { ids: [], total: 0 }
  const [unindexed, ...sources] = await Promise.all([
    listUnindexed(table),
    ...words.map(async word => ({ terms: await termsBeginning(table, word), isWeighed: true })),
    ...(categoryId === undefined ? [] : [inCategory(table, categoryId)]),
  ])
  const [first, ...others] = sources.sort((a, b) => countIn(a.terms) - countIn(b.terms))
  const [term, ...more] = first?.terms ?? []
  if (!first || !term) return { ids: [], total: 0 }
  // Its counts know the total, and its bounds where the page is.
  if (others.length + more.length + unindexed.size === 0) return await findByTerm(table, term, asked)
  const found = await postsInAll(table, first, others)
  const ranked = [...found.values()]
    .filter(post => isWanted(asked.kinds, post) && !unindexed.has(post.id))
    .sort(byRank)
  return { ids: idsOf(ranked.slice(asked.skip, asked.skip + asked.take)), total: ranked.length }
}

const idsOf = (postings: Posting[]): number[] => postings.map(({ id }) => id)

const inCategory = async (table: Table, id: number): Promise<Source> => ({
  terms: await termNamed(table, categoryTerm(id)),
  isWeighed: false,
})

const findByTerm = async (table: Table, term: Term, asked: Asked): Promise<Finds> => ({
  ids: idsOf(await somePostings(table, term, asked)),
  total: sizeFor(asked.kinds, countOf(term)),
})

/** Posts by id, with the sum of their weights. The rarest source is read whole, of the others what may be in it. */
const postsInAll = async (table: Table, rarest: Source, others: Source[]): Promise<Map<number, Posting>> => {
  let found = best(rarest, (await Promise.all(rarest.terms.map(term => allPostings(table, term)))).flat())
  for (const source of others) {
    const candidates = [...found.values()]
    if (candidates.length === 0) break
    const postings = source.terms.map(term => postingsOfPosts(table, term, candidates))
    const inSource = best(source, (await Promise.all(postings)).flat())
    found = new Map(
      candidates.flatMap(post => {
        const also = inSource.get(post.id)
        return also ? [[post.id, { ...post, weight: post.weight + also.weight }] as const] : []
      }),
    )
  }
  return found
}

const best = ({ isWeighed }: Source, postings: Posting[]): Map<number, Posting> => {
  const heaviest = new Map<number, Posting>()
  for (const posting of postings) {
    const weight = isWeighed ? posting.weight : 0
    if ((heaviest.get(posting.id)?.weight ?? -1) < weight) heaviest.set(posting.id, { ...posting, weight })
  }
  return heaviest
}
