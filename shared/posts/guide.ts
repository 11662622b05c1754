// Guides to the endpoints of posts and pages, with an example of each.
import { type Guide, guideOf } from '../http/guide.ts'
import { adminPosts, posts } from './contract.ts'

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

const POST = {
  ...LISTED_POST,
  body: '<p>It works.</p><p>This post came from the demo content of your first start.</p>',
  seo_title: '',
  meta_desc: '',
}

const LISTED_PAGE = {
  ...LISTED_POST,
  id: 5,
  title: 'About',
  slug: 'about',
  excerpt: 'Who we are.',
  content_type: 'page' as const,
  featured_image: {},
  categories: [],
}
const PAGE = { ...LISTED_PAGE, body: '<p>Who we are.</p>', seo_title: '', meta_desc: '' }

const { body: BODY, ...HEAD } = POST
const ADMIN_LISTED = {
  ...HEAD,
  is_published: true,
  status: 'published' as const,
  short_description: '',
  category_ids: [1],
  author_id: 1,
  created_at: '2026-05-26T14:30:00+00:00',
  version: 2,
}
const ADMIN_POST = { ...ADMIN_LISTED, body: BODY }

const DRAFT = {
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

export const POST_GUIDES: Guide[] = [
  ...guideOf(posts, {
    listPosts: {
      description: `Lists published posts whose date has come, newest first. With \`q\` the list is a search: the posts that
        contain all its words, best match first.`,
      data: [LISTED_POST],
    },
    getPost: {
      description: 'Drafts, scheduled posts and pages are a 404.',
      params: { slug: 'hello-world' },
      data: POST,
    },
    listRelated: {
      description: 'At most five posts that share a category with this one, newest first.',
      params: { slug: 'hello-world' },
      data: [{ ...LISTED_POST, id: 3, title: 'Hear of every change', slug: 'hear-of-every-change' }],
    },
    listPages: {
      description: 'Sorted by title, without regard to case and diacritics.',
      data: [LISTED_PAGE],
    },
    getPage: {
      description: 'Drafts, scheduled pages and posts are a 404.',
      params: { slug: 'about' },
      data: PAGE,
    },
  }),
  ...guideOf(adminPosts, {
    listPosts: { description: 'Newest id first.', data: [ADMIN_LISTED] },
    createPost: {
      description: `Without \`is_published\` the post is a draft. With it, it goes live at once, or at \`posted_at\` if that is
        in the future. A search finds a published post within five seconds; hundreds at once within a minute.`,
      body: { title: 'First light', body: '<p>Hello.</p>', is_published: false },
      data: { ...DRAFT, id: 6, categories: [], category_ids: [] },
    },
    getPost: {
      description: 'Finds drafts and scheduled posts too.',
      params: { id: 1 },
      data: ADMIN_POST,
    },
    changePost: {
      description: `Members that are left out keep their values. Setting a value that is already set changes nothing and
        fires nothing. One write fires at most one event: that of entering or leaving public view, else
        \`post.updated\` if readers see the post.`,
      params: { id: 4 },
      body: { title: 'First light', category_ids: [1] },
      data: DRAFT,
    },
    deletePost: {
      description: `Its comments are deleted too; they leave public view at once and the storage a little later. Deleting a
        draft fires \`post.deleted\` as well.`,
      params: { id: 6 },
    },
    publishPost: {
      description: `If \`posted_at\` is null it becomes the current time. If it is in the future the post is scheduled: readers see
        it from that second on, and its event fires at that second or, after a failure, within 90 seconds.
        Publishing a published post changes nothing.`,
      params: { id: 4 },
      data: {
        ...DRAFT,
        posted_at: '2026-05-26T15:00:00+00:00',
        is_published: true,
        status: 'published',
        version: 2,
      },
    },
    unpublishPost: {
      description: 'Readers no longer see it. Its date stays. Unpublishing a draft changes nothing.',
      params: { id: 4 },
      data: { ...DRAFT, posted_at: '2026-05-26T15:00:00+00:00', version: 3 },
    },
  }),
]
