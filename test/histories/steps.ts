// Random steps of a history: requests, the clock and the workers.
import fc from 'fast-check'

export const START_MS = Date.UTC(2026, 4, 26, 15, 0, 0, 250)

const nth = fc.nat(1_000)
const title = fc.constantFrom('Al', 'al', 'Ál b', 'Alp', 'Zebra', 'été', 'Ete', '東京', '🚀', '\u{fffd}')
/** So few that they clash sometimes. */
const slug = fc
  .tuple(fc.constantFrom('al', 'Al', 'drei.', 'クアトロ'), fc.nat(9))
  .map(parts => parts.join(''))
const categorySlug = fc.option(fc.constantFrom('news', 'zoo', 'ete'))
const categoryName = fc.constantFrom('News', 'news', 'Été', 'Zoo')
/** Now, about now, or one of a few times that many posts share. */
const time = fc.oneof(
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
    at: fc.option(time),
    categories: fc.array(nth, { maxLength: 4 }),
  },
  { requiredKeys: [] },
)
const newPost = fc.record({ title, members })
const nths = fc.array(nth, { minLength: 1, maxLength: 3 })

const create = fc.record({ create: fc.array(newPost, { minLength: 1, maxLength: 3 }) })
/** Enough posts to split ranges and nodes before the other steps. */
export const manyPosts = fc.record({ create: fc.array(newPost, { minLength: 20, maxLength: 30 }) })
/** Enough posts for one or two ranges. */
export const fewPosts = fc.record({ create: fc.array(newPost, { minLength: 5, maxLength: 9 }) })
export const step = fc.oneof(
  { weight: 4, arbitrary: create },
  { weight: 6, arbitrary: fc.record({ nth, change: members }) },
  { weight: 3, arbitrary: fc.record({ publish: nths }) },
  { weight: 2, arbitrary: fc.record({ unpublish: nths }) },
  { weight: 3, arbitrary: fc.record({ remove: nths }) },
  { weight: 2, arbitrary: fc.record({ newCategory: categoryName, slug: categorySlug }) },
  { weight: 1, arbitrary: fc.record({ nth, renameCategory: categoryName, slug: categorySlug }) },
  { weight: 1, arbitrary: fc.record({ removeCategory: nth }) },
  {
    weight: 3,
    arbitrary: fc.record({ advanceMs: fc.constantFrom(1, 999, 1_000, 5_000, 61_000, 3_600_000) }),
  },
  { weight: 1, arbitrary: fc.constant({ catchUp: true }) },
)
export type Step =
  | (typeof step extends fc.Arbitrary<infer T> ? T : never)
  | { newCategory: string; slug: null }
  | { advanceMs: number }
/** The members of a post in a step. Its date and categories are resolved when the step is taken. */
export type StepMembers = typeof members extends fc.Arbitrary<infer T> ? T : never
