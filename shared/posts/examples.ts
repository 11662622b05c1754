// Posts and pages as the examples of the document show them.
import { NO_TEXTS } from './fields.ts'

const NEWS = { id: 1, name: 'News', slug: 'news' }
const IMAGES = 'https://images.example.com'

export const LISTED_POST = {
  id: 1,
  title: 'Hello, world',
  slug: 'hello-world',
  excerpt: 'It works. This post came from the demo content of your first start.',
  content_type: 'post' as const,
  featured_image: { thumbnail: `${IMAGES}/hello-200.jpg`, original: `${IMAGES}/hello.jpg` },
  author: { name: 'Ada', avatar: `${IMAGES}/ada.jpg` },
  categories: [NEWS],
  reading_time: 1,
  posted_at: '2026-05-26T15:00:00+00:00',
  updated_at: '2026-05-26T15:00:00+00:00',
}

export const POST = {
  ...LISTED_POST,
  body: '<p>It works.</p><p>This post came from the demo content of your first start.</p>',
  ...NO_TEXTS,
}

export const LISTED_PAGE = {
  ...LISTED_POST,
  id: 5,
  title: 'About',
  slug: 'about',
  excerpt: 'Who we are.',
  content_type: 'page' as const,
  featured_image: {},
  categories: [],
}
export const PAGE = { ...LISTED_PAGE, body: '<p>Who we are.</p>', ...NO_TEXTS }

const { body: BODY, ...HEAD } = POST
export const ADMIN_LISTED = {
  ...HEAD,
  is_published: true,
  status: 'published' as const,
  short_description: '',
  category_ids: [1],
  author_id: 1,
  created_at: '2026-05-26T14:30:00+00:00',
  version: 2,
}
export const ADMIN_POST = { ...ADMIN_LISTED, body: BODY }

export const DRAFT = {
  ...ADMIN_POST,
  id: 4,
  title: 'First light',
  slug: 'first-light',
  excerpt: 'Hello.',
  featured_image: {},
  posted_at: null,
  is_published: false,
  status: 'draft' as const,
  version: 1,
  body: '<p>Hello.</p>',
}
