// The guide to categories: texts and examples of the endpoints, and texts of the members.
import { describes } from '../http/descriptions.ts'
import { guideOf, type SliceGuide } from '../http/guide.ts'
import { INCLUDE_TEXT, ORDER_TEXT } from '../posts/guide/endpoints.ts'
import { LISTED_POST } from '../posts/guide/examples.ts'
import { adminCategories, Category, CategoryChange, CategoryInput, categories } from './contract.ts'

const NEWS = { id: 1, name: 'News', slug: 'news', description: 'What is new.', posts_count: 2 }
const EVENTS = { id: 3, name: 'Events', slug: 'events', description: 'Where to meet us.', posts_count: 0 }

const SLUG = `The part of the URL that names the category: 1 to 200 letters and digits of any script, with \`-\`, \`_\`, \`.\` or
  \`~\` between them. Unique among categories.`

/** What an update takes. */
const CHANGED_TEXTS = {
  name: [
    'The name that readers see: one line of 1 to 100 characters. Two categories may share one.',
    'Events',
  ],
  slug: [`${SLUG} Empty: unchanged.`, 'events'],
  description: ['Plain text of at most 1,000 characters.', 'Where to meet us.'],
} as const

/** What a new category takes: the same, with defaults. */
const WRITTEN_TEXTS = {
  ...CHANGED_TEXTS,
  slug: [`${SLUG} Left out or empty: derived from the name.`, 'events'],
  description: ['Plain text of at most 1,000 characters. By default empty.', 'Where to meet us.'],
} as const

export const CATEGORY_GUIDE: SliceGuide = {
  tags: {
    categories: 'Categories and their published posts.',
    'admin: categories': 'Write categories. Needs the ability `admin`.',
  },
  endpoints: [
    ...guideOf(
      categories,
      {
        listCategories: {
          description: 'Sorted by name, without regard to case and diacritics. The list is whole.',
          data: [NEWS],
        },
        getCategory: { params: { slug: 'news' }, data: NEWS },
        listPostsOfCategory: {
          description:
            'The same as `GET /api/v1/posts?category=…`, except that an unknown category is a 404.',
          params: { slug: 'news' },
          data: [LISTED_POST],
        },
      },
      { order: ORDER_TEXT, include: INCLUDE_TEXT },
    ),
    ...guideOf(adminCategories, {
      listCategories: { description: 'The list is whole.', data: [NEWS] },
      createCategory: {
        description: `There are at most 5,000 categories, and all together at most as many as fit in one answer of 5.9 MB: above
          that it is a 422 on \`categories\`.`,
        body: { name: 'Events', description: 'Where to meet us.' },
        data: EVENTS,
      },
      getCategory: { params: { id: 1 }, data: NEWS },
      changeCategory: {
        description: 'Members that are left out keep their values. It fires nothing and changes no post.',
        params: { id: 1 },
        body: { description: 'What is new.' },
        data: NEWS,
      },
      deleteCategory: {
        description: `Its posts stay and leave the category: no read shows it from the answer on, however many posts it had. It
          fires nothing and changes no post's \`version\` or \`updated_at\`.`,
        params: { id: 3 },
      },
    }),
  ],
  members: [
    describes(Category, {
      id: 'Numeric id.',
      name: 'The name that readers see.',
      slug: 'The part of the URL that names the category.',
      description: 'Plain text; empty if there is none.',
      posts_count: 'Number of its posts that readers see. Drafts, scheduled posts and pages do not count.',
    }),
    describes(CategoryInput, WRITTEN_TEXTS),
    describes(CategoryChange, CHANGED_TEXTS),
  ],
}
