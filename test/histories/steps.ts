// The steps of a history: what callers and the clock may do, drawn at random.
import fc from 'fast-check'

export const START_MS = Date.UTC(2026, 4, 26, 15, 0, 0, 250)

const nth = fc.nat(1_000)
const title = fc.constantFrom('Al', 'al', 'Ál b', 'Alp', 'Zebra', 'été', 'Ete', '東京', '🚀', '\u{fffd}')
/** Few enough to clash now and then. */
const slug = fc
  .tuple(fc.constantFrom('al', 'Al', 'drei.', 'クアトロ'), fc.nat(9))
  .map(parts => parts.join(''))
const categorySlug = fc.option(fc.constantFrom('news', 'zoo', 'ete'))
const categoryName = fc.constantFrom('News', 'news', 'Été', 'Zoo')
/** Now, around now, or one of a few seconds that many posts share. */
const when = fc.oneof(
  fc.record({ fromNow: fc.constantFrom(-86_400, 0, 0, 1, 1, 1, 5, 60, 901) }),
  fc.record({ fromStart: fc.constantFrom(-10, 0, 30) }),
)
const members = fc.record(
  {
    title,
    slug,
    summary: fc.constantFrom('', 'Short.', 'Shorter'),
    kind: fc.constantFrom('post', 'post', 'page'),
    isPublished: fc.constantFrom(true, true, false),
    at: fc.option(when),
    categories: fc.array(nth, { maxLength: 4 }),
  },
  { requiredKeys: [] },
)
const born = fc.record({ title, members })
const some = fc.array(nth, { minLength: 1, maxLength: 3 })

const create = fc.record({ create: fc.array(born, { minLength: 1, maxLength: 3 }) })
/** Enough for ranges and nodes to be split before anything else happens. */
export const beginning = fc.record({ create: fc.array(born, { minLength: 20, maxLength: 30 }) })
/** Enough for a range or two. */
export const fewPosts = fc.record({ create: fc.array(born, { minLength: 5, maxLength: 9 }) })
export const step = fc.oneof(
  { weight: 4, arbitrary: create },
  { weight: 6, arbitrary: fc.record({ nth, change: members }) },
  { weight: 3, arbitrary: fc.record({ publish: some }) },
  { weight: 2, arbitrary: fc.record({ unpublish: some }) },
  { weight: 3, arbitrary: fc.record({ remove: some }) },
  { weight: 2, arbitrary: fc.record({ newCategory: categoryName, slug: categorySlug }) },
  { weight: 1, arbitrary: fc.record({ nth, renameCategory: categoryName, slug: categorySlug }) },
  { weight: 1, arbitrary: fc.record({ removeCategory: nth }) },
  { weight: 3, arbitrary: fc.record({ moveOnMs: fc.constantFrom(1, 999, 1_000, 5_000, 61_000, 3_600_000) }) },
  { weight: 1, arbitrary: fc.constant({ catchUp: true }) },
)
export type Step =
  | (typeof step extends fc.Arbitrary<infer T> ? T : never)
  | { newCategory: string; slug: null }
  | { moveOnMs: number }
/** Members of a post as a step has them: dates and categories are of the moment when it is taken. */
export type Given = typeof members extends fc.Arbitrary<infer T> ? T : never
