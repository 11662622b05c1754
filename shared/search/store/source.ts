// What a search asks for, one by one: a word or a category. Each is answered by the postings of some terms, or by the
// document of a post.
import type { Table } from '../../table/client.ts'
import { categoryTerm, type Doc, FIELDS, STARTS, startTerm } from '../doc.ts'
import { isLarge, keyOfTerm, readTerm, type Term } from '../term.ts'
import { countIn, termNamed, termsBeginning } from './terms.ts'

export type Source = {
  /** A post with any of them has it, for the weight of the best. Undefined: not read, since a document can tell. */
  terms: Term[] | undefined
  /** Of their postings. */
  count: number
  isWeighed: boolean
  /** Undefined where the post has it not. */
  weightIn: (doc: Doc) => number | undefined
}

/** Whether its postings came with its terms, so that nothing more is to be read for them. */
export function isRead({ terms }: Source): boolean {
  return terms?.some(isLarge) === false
}

export function sourceOfWord(word: string, terms?: Term[]): Source {
  return {
    terms,
    count: terms ? countIn(terms) : Infinity,
    isWeighed: true,
    weightIn: doc => FIELDS.find(([field]) => doc[field].some(one => one.startsWith(word)))?.[1],
  }
}

/** Of no weight: a search within a category ranks by its words. */
function sourceOfCategory(id: number, terms: Term[]): Source {
  return {
    terms,
    count: countIn(terms),
    isWeighed: false,
    weightIn: doc => (doc.category_ids.includes(id) ? 0 : undefined),
  }
}

/** The rarest first. Words that begin a list of their own are one call, however many they are. */
export async function openSources(
  table: Table,
  words: string[],
  categoryId: number | undefined,
): Promise<Source[]> {
  const named = new Map(words.flatMap(word => nameOfStart(word).map(name => [name, word] as const)))
  const others = words.filter(word => nameOfStart(word).length === 0)
  const [starts, longer, categories] = await Promise.all([
    table.findMany([...named.keys()].map(keyOfTerm), { isEventual: true }),
    Promise.all(others.map(async word => sourceOfWord(word, await termsBeginning(table, word)))),
    categoryId === undefined
      ? []
      : [sourceOfCategory(categoryId, await termNamed(table, categoryTerm(categoryId)))],
  ])
  const byName = new Map(starts.map(item => readTerm.parse(item)).map(term => [term.term, term]))
  const short = [...named].map(([name, word]) => sourceOfWord(word, [byName.get(name) ?? []].flat()))
  return [...short, ...longer, ...categories].sort((a, b) => a.count - b.count)
}

function nameOfStart(word: string): string[] {
  const characters = Array.from(word).length
  return STARTS.filter(length => length === characters).map(length => startTerm(word, length))
}
