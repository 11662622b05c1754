// Random changes of posts and runs of the index worker.
import fc from 'fast-check'
import type { SearchDocument } from '../../shared/search/document.ts'

/** Words of which some begin as others do. */
export const WORDS = ['ab', 'abc', 'abcd', 'abcde', 'abd', 'abx', 'ba', 'bad', 'bade', 'zz']

const words = fc.uniqueArray(fc.constantFrom(...WORDS), { maxLength: 4 })
const content = fc.record({
  title: words,
  short: words,
  body: words,
  posted_at: fc.integer({ min: 1, max: 5 }),
  is_page: fc.boolean(),
  category_ids: fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { maxLength: 2 }),
})
export type Content = typeof content extends fc.Arbitrary<infer T> ? T : never

/** `killBefore`: the call of the worker before which its run is killed. 'search': all searches. */
export type Step =
  | { id: number; content: Content }
  | { remove: number }
  | { killBefore: number }
  | 'merge'
  | 'later'
  | 'search'

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ id: fc.integer({ min: 1, max: 12 }), content }) },
  { weight: 3, arbitrary: fc.record({ remove: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 3, arbitrary: fc.constant('merge' as const) },
  { weight: 2, arbitrary: fc.record({ killBefore: fc.integer({ min: 1, max: 14 }) }) },
  { weight: 1, arbitrary: fc.constant('later' as const) },
)
export function historiesOf(minLength: number, maxLength: number): fc.Arbitrary<Step[]> {
  return fc.array(step, { minLength, maxLength })
}

export function documentOf(id: number, { title, short, body, ...members }: Content): SearchDocument {
  const shortOnly = short.filter(word => !title.includes(word))
  const bodyOnly = body.filter(word => !title.includes(word) && !short.includes(word))
  return {
    id,
    body_sha256: '',
    ...members,
    title: title.toSorted(),
    short: shortOnly.toSorted(),
    body: bodyOnly.toSorted(),
  }
}
