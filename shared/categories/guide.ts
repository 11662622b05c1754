// Guides to the endpoints of categories, with an example of each.
import { type Guide, guideOf } from '../http/guide.ts'
import { LISTED_POST } from '../posts/guide.ts'
import { adminCategories, categories } from './contract.ts'

const NEWS = { id: 1, name: 'News', slug: 'news', description: 'What is new.', posts_count: 2 }
const EVENTS = { id: 3, name: 'Events', slug: 'events', description: 'Where to meet us.', posts_count: 0 }

export const CATEGORY_GUIDES: Guide[] = [
  ...guideOf(categories, {
    listCategories: {
      description: 'Sorted by name, without regard to case and diacritics. The list is whole.',
      data: [NEWS],
    },
    getCategory: { params: { slug: 'news' }, data: NEWS },
    listPostsOfCategory: {
      description: 'The same as `GET /api/v1/posts?category=…`, except that an unknown category is a 404.',
      params: { slug: 'news' },
      data: [LISTED_POST],
    },
  }),
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
]
