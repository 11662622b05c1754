// Guides to the endpoints of posts and pages, with an example of each.
import { type Guide, guideOf } from '../../http/guide.ts'
import { adminPosts, posts } from '../contract.ts'
import { ADMIN_LISTED, ADMIN_POST, DRAFT, LISTED_PAGE, LISTED_POST, PAGE, POST } from './examples.ts'

/** Of lists that can include bodies. */
export const INCLUDE_TEXT = `\`body\` adds \`body\`, \`seo_title\` and \`meta_desc\` to each item, so that a static build pulls N
  posts in N/100 calls. An answer may have 5.9 MB: above that it is a 422 on \`per_page\` that says how many items fit.`

/** Of lists that start at either end. */
export const ORDER_TEXT = `\`newest\`, the default, or \`oldest\`: the same posts from the oldest on, so that no full page gets other
  items by a new post. Read from cursor to cursor, each that another page follows keeps its ETag, too.`

/** Of lists that are read by page or from a cursor on. */
export const WALK_TEXT = `Read from \`cursor.next\` to \`cursor.next\` (\`after\`), the list holds still: an item that is not changed meanwhile is met
  exactly once, whatever is published, deleted or rescheduled.`

export const SEARCH_TEXT = `Search text of 2 to 200 characters. Every word in it must begin a word of the title, the short
  description or the body. Case, diacritics, the vowel points of Arabic and Hebrew, forms of alef and nuktas do not count. \`C++\`,
  \`C#\`, \`2.0.1\` and \`R&D\` are words (send them encoded: \`C%2B%2B\`), other single characters are left out. In scripts without
  spaces any two neighbouring characters are a word. A search of more than ten words needs one that is in few posts, else it is a 422.`

export const POST_ENDPOINTS: Guide[] = [
  ...guideOf(
    posts,
    {
      listPosts: {
        description: `Lists published posts whose date has come, newest first. With \`q\` the list is a search: the posts that
          contain all its words, best match first; it is read by page, and its \`cursor.next\` is null. ${WALK_TEXT}`,
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
        description: `Sorted by title, without regard to case and diacritics. ${WALK_TEXT}`,
        data: [LISTED_PAGE],
      },
      getPage: {
        description: 'Drafts, scheduled pages and posts are a 404.',
        params: { slug: 'about' },
        data: PAGE,
      },
    },
    {
      category: ['Slug of a category: only its posts. With an unknown one the list is empty.', 'news'],
      q: [
        `${SEARCH_TEXT} The best matches come first. Not together with \`after\` or \`order=oldest\`.`,
        'hello',
      ],
      order: ORDER_TEXT,
      include: INCLUDE_TEXT,
    },
  ),
  ...guideOf(
    adminPosts,
    {
      listPosts: { description: `Newest id first. ${WALK_TEXT}`, data: [ADMIN_LISTED] },
      createPost: {
        description: `Without \`is_published\` the post is a draft. With it, it goes live immediately, or at \`posted_at\` if that is
          in the future. A search finds a published post from the moment of the answer; one of more than about 100 kB of text within
          five seconds.`,
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
        description: `Its comments are deleted too; they leave public view immediately and the storage a little later. Deleting a
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
    },
    {
      id: 'Id of the post or page.',
      drafts_only: 'True lists drafts only. Scheduled posts are not drafts.',
      content_type: '`post` or `page`; by default both.',
      slug: ['Only the post or page that has exactly this slug.', 'hello-world'],
    },
  ),
]
