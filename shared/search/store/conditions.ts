// What a search asks for, one by one: a word or a category. Each is answered by the postings of some terms, or by the
// document of a post.
import type { Table } from '../../table/client.ts'
import { type Condition, categoryCondition, prefixTerms, wordCondition } from '../condition.ts'
import { categoryTerm } from '../doc.ts'
import { keyOfTerm, readTerm } from '../term-item.ts'
import { termNamed, termsBeginning } from './terms.ts'

/** The rarest first. Words that begin a list of their own are one call, however many they are. */
export async function readConditions(
  table: Table,
  words: string[],
  categoryId: number | undefined,
): Promise<Condition[]> {
  const named = new Map(words.flatMap(word => prefixTerms(word).map(name => [name, word] as const)))
  const others = words.filter(word => prefixTerms(word).length === 0)
  const [starts, longer, categories] = await Promise.all([
    table.findMany([...named.keys()].map(keyOfTerm), { isEventual: true }),
    Promise.all(others.map(async word => wordCondition(word, await termsBeginning(table, word)))),
    categoryId === undefined
      ? []
      : [categoryCondition(categoryId, await termNamed(table, categoryTerm(categoryId)))],
  ])
  const byName = new Map(starts.map(item => readTerm.parse(item)).map(term => [term.term, term]))
  const short = [...named].map(([name, word]) => wordCondition(word, [byName.get(name) ?? []].flat()))
  return [...short, ...longer, ...categories].sort((a, b) => a.count - b.count)
}
