// Descriptions of the members of categories, and of the parameters of their endpoints.
import { type Description, describes, pageTexts } from '../http/descriptions.ts'
import { INCLUDE_TEXT } from '../posts/descriptions.ts'
import { adminCategories, Category, CategoryChange, CategoryInput, categories } from './contract.ts'

const SLUG = `The part of the URL that names the category: 1 to 200 letters and digits of any script, with \`-\`, \`_\`, \`.\` or
  \`~\` between them. Unique among categories.`

/** What an update takes. */
const CHANGED = {
  name: [
    'The name that readers see: one line of 1 to 100 characters. Two categories may share one.',
    'Events',
  ],
  slug: [`${SLUG} Empty: unchanged.`, 'events'],
  description: ['Plain text of at most 1,000 characters.', 'Where to meet us.'],
} as const

/** What a new category takes: the same, with defaults. */
const WRITTEN = {
  ...CHANGED,
  slug: [`${SLUG} Left out or empty: made from the name.`, 'events'],
  description: ['Plain text of at most 1,000 characters. By default empty.', 'Where to meet us.'],
} as const

export const CATEGORY_DESCRIPTIONS: Description[] = [
  describes(Category, {
    id: 'Numeric id.',
    name: 'The name that readers see.',
    slug: 'The part of the URL that names the category.',
    description: 'Plain text; empty if there is none.',
    posts_count: 'Number of its posts that readers see. Drafts, scheduled posts and pages do not count.',
  }),
  describes(CategoryInput, WRITTEN),
  describes(CategoryChange, CHANGED),
  describes(categories.getCategory.params, { slug: 'Slug of the category, percent-encoded.' }),
  describes(categories.listPostsOfCategory.query, { ...pageTexts(), include: INCLUDE_TEXT }),
  describes(adminCategories.getCategory.params, { id: 'Id of the category.' }),
]
