// The endpoints of posts and pages, for readers and for admins.
import * as z from 'zod/mini'
import { endpoint, group } from '../http/endpoint.ts'
import { members } from '../http/members.ts'
import { byId, bySlug, ONE_START, WALK } from '../http/parameters.ts'
import { SlugQuery } from '../slugs/slug.ts'
import { ADMIN_LISTED, ADMIN_POST, DRAFT, LISTED_PAGE, LISTED_POST, PAGE, POST } from './examples.ts'
import {
  AdminListItem,
  AdminPost,
  ContentType,
  INCLUDE,
  ORDER,
  PostChange,
  PostInput,
  PostListItem,
  PreviewedPost,
  PreviewInput,
  PreviewToken,
  SEARCH_TEXT,
  SearchText,
  SinglePost,
} from './fields.ts'

const ofPost = byId('post or page')
const flag = z
  .pipe(
    z.enum(['true', 'false'], 'Must be true or false.'),
    z.transform(text => text === 'true'),
  )
  .check(z.meta({ type: 'boolean', enum: undefined }))

type SearchQuery = { q?: unknown; after?: unknown; order?: unknown }

function noSearchAfter() {
  return z.refine<SearchQuery>(({ q, after }) => q === undefined || after === undefined, {
    path: ['after'],
    error: 'Must not be given together with `q`: a search is read by page.',
    when: () => true,
  })
}

function noSearchFromOldest() {
  return z.refine<SearchQuery>(({ q, order }) => q === undefined || order !== 'oldest', {
    path: ['order'],
    error: 'Must not be given together with `q`: a search lists the best matches first.',
    when: () => true,
  })
}

const WALK_TEXT = `Read from \`cursor.next\` to \`cursor.next\` (\`after\`), the list holds still: an item that is not changed meanwhile is met
  exactly once, whatever is published, deleted or rescheduled.`

export const posts = group({ public: 'Published posts and pages.' }, () => ({
  listPosts: endpoint({
    method: 'GET',
    path: '/api/v1/posts',
    summary: 'List public posts, newest first, or search them with `q`',
    description: `Lists published posts whose date has come, newest first. With \`q\` the list is a search: the posts that
          contain all its words, best match first; it is read by page, and its \`cursor.next\` is null. ${WALK_TEXT}`,
    message: 'Posts.',
    query: members({
      ...WALK,
      category: [
        z.optional(SlugQuery),
        'Slug of a category: only its posts. With an unknown one the list is empty.',
        'news',
      ],
      q: [
        z.optional(SearchText),
        `${SEARCH_TEXT} The best matches come first. Not together with \`after\` or \`order=oldest\`.`,
        'hello',
      ],
      ...ORDER,
      ...INCLUDE,
    }).check(ONE_START, noSearchAfter(), noSearchFromOldest()),
    data: z.array(PostListItem),
    example: { data: [LISTED_POST] },
  }),
  getPost: endpoint({
    method: 'GET',
    path: '/api/v1/posts/{slug}',
    summary: 'Get a public post',
    description:
      'Drafts, scheduled posts and pages are a 404. A `Preview-Token` of this post shows it all the same.',
    message: 'Post.',
    params: bySlug('post'),
    takesPreview: true,
    data: SinglePost,
    example: { params: { slug: 'hello-world' }, data: POST },
  }),
  listRelated: endpoint({
    method: 'GET',
    path: '/api/v1/posts/{slug}/related',
    summary: 'List posts related to a post',
    description: 'At most five posts that share a category with this one, newest first.',
    message: 'Related posts.',
    params: bySlug('post'),
    data: z.array(PostListItem),
    example: {
      params: { slug: 'hello-world' },
      data: [{ ...LISTED_POST, id: 3, title: 'Hear of every change', slug: 'hear-of-every-change' }],
    },
  }),
  listPages: endpoint({
    method: 'GET',
    path: '/api/v1/pages',
    summary: 'List public pages by title',
    description: `Sorted by title, without regard to case and diacritics. ${WALK_TEXT}`,
    message: 'Pages.',
    query: members({ ...WALK, ...INCLUDE }).check(ONE_START),
    data: z.array(PostListItem),
    example: { data: [LISTED_PAGE] },
  }),
  getPage: endpoint({
    method: 'GET',
    path: '/api/v1/pages/{slug}',
    summary: 'Get a public page',
    description:
      'Drafts, scheduled pages and posts are a 404. A `Preview-Token` of this page shows it all the same.',
    message: 'Page.',
    params: bySlug('page'),
    takesPreview: true,
    data: SinglePost,
    example: { params: { slug: 'about' }, data: PAGE },
  }),
  getPreview: endpoint({
    method: 'GET',
    path: '/api/v1/preview',
    summary: 'Get the post or page of a preview token',
    description: `Shows it as it is now, whatever its state. A token that is missing, forged, expired or void is a 404. No
          cache stores the answer, and no search engine lists it.`,
    message: 'Preview.',
    takesPreview: true,
    isCacheable: false,
    data: PreviewedPost,
    faults: ['NOT_FOUND'],
    example: { data: { ...POST, status: 'draft' } },
  }),
}))

/** `deletePost` and `unpublishPost` emit these as well: any write announces a post that became due before. */
const GOES_LIVE = ['post.published', 'page.published'] as const
const CHANGES_VIEW = [...GOES_LIVE, 'post.updated', 'post.unpublished'] as const

export const adminPosts = group({ admin: 'Write posts and pages. Needs the ability `admin`.' }, () => ({
  listPosts: endpoint({
    method: 'GET',
    path: '/api/v1/admin/posts',
    readsContent: true,
    summary: 'List all posts and pages, drafts and scheduled ones included',
    description: `Newest id first. ${WALK_TEXT}`,
    message: 'Posts.',
    query: members({
      ...WALK,
      drafts_only: [z._default(flag, false), 'True lists drafts only. Scheduled posts are not drafts.'],
      content_type: [z.optional(ContentType), '`post` or `page`; by default both.'],
      slug: [z.optional(SlugQuery), 'Only the post or page that has exactly this slug.', 'hello-world'],
    }).check(ONE_START),
    data: z.array(AdminListItem),
    example: { data: [ADMIN_LISTED] },
  }),
  createPost: endpoint({
    method: 'POST',
    path: '/api/v1/admin/posts',
    isVersioned: true,
    summary: 'Create a post or page',
    description: `Without \`is_published\` the post is a draft. With it, it goes live immediately, or at \`posted_at\` if that is
          in the future. A search finds a published post from the moment of the answer. By default it is a \`post\` by the
          caller, without texts, categories and image, and its slug is derived from the title.`,
    message: 'Post created.',
    body: PostInput,
    data: AdminPost,
    status: 201,
    emits: GOES_LIVE,
    example: {
      body: { title: 'First light', body: '<p>Hello.</p>', is_published: false },
      data: { ...DRAFT, id: 6, categories: [], category_ids: [] },
    },
  }),
  getPost: endpoint({
    method: 'GET',
    path: '/api/v1/admin/posts/{id}',
    isVersioned: true,
    readsContent: true,
    summary: 'Get a post or page by its id',
    description: 'Finds drafts and scheduled posts too.',
    message: 'Post.',
    params: ofPost,
    data: AdminPost,
    example: { params: { id: 1 }, data: ADMIN_POST },
  }),
  changePost: endpoint({
    method: 'PATCH',
    path: '/api/v1/admin/posts/{id}',
    isVersioned: true,
    summary: 'Update a post or page',
    description: `Members that are left out keep their values. Setting a value that is already set changes nothing and
          fires nothing. One write fires at most one event: that of entering or leaving public view, else
          \`post.updated\` if readers see the post.`,
    message: 'Post updated.',
    params: ofPost,
    body: PostChange,
    data: AdminPost,
    emits: CHANGES_VIEW,
    example: { params: { id: 4 }, body: { title: 'First light', category_ids: [1] }, data: DRAFT },
  }),
  deletePost: endpoint({
    method: 'DELETE',
    path: '/api/v1/admin/posts/{id}',
    isVersioned: true,
    summary: 'Delete a post or page permanently',
    description: `Its comments are deleted too; they leave public view immediately and the storage a little later. Deleting a
          draft fires \`post.deleted\` as well.`,
    message: 'Post deleted.',
    params: ofPost,
    emits: [...GOES_LIVE, 'post.deleted'],
    example: { params: { id: 6 } },
  }),
  publishPost: endpoint({
    method: 'POST',
    path: '/api/v1/admin/posts/{id}/publish',
    isVersioned: true,
    summary: 'Publish or schedule a post or page',
    description: `If \`posted_at\` is null it becomes the current time. If it is in the future the post is scheduled: readers see
          it from that second on, and its event fires at that second or, after a failure, within 90 seconds.
          Publishing a published post changes nothing.`,
    message: 'Post published.',
    params: ofPost,
    data: AdminPost,
    emits: GOES_LIVE,
    example: {
      params: { id: 4 },
      data: {
        ...DRAFT,
        posted_at: '2026-05-26T15:00:00+00:00',
        is_published: true,
        status: 'published',
        version: 2,
      },
    },
  }),
  unpublishPost: endpoint({
    method: 'POST',
    path: '/api/v1/admin/posts/{id}/unpublish',
    isVersioned: true,
    summary: 'Turn a post or page back into a draft',
    description: 'Readers no longer see it. Its date stays. Unpublishing a draft changes nothing.',
    message: 'Post unpublished.',
    params: ofPost,
    data: AdminPost,
    emits: [...GOES_LIVE, 'post.unpublished'],
    example: { params: { id: 4 }, data: { ...DRAFT, posted_at: '2026-05-26T15:00:00+00:00', version: 3 } },
  }),
  createPreview: endpoint({
    method: 'POST',
    path: '/api/v1/admin/posts/{id}/preview',
    summary: 'Create a preview token of a post or page',
    description: `The token shows this one record in its current state to anybody who has it, until it expires or is made void:
          with \`GET /api/v1/preview\`, or under its slug. Nothing is stored.`,
    message: 'Preview created.',
    params: ofPost,
    body: PreviewInput,
    data: PreviewToken,
    status: 201,
    example: {
      params: { id: 4 },
      body: { expires_in: 86_400 },
      data: {
        token: 'kB3v0aZPqJ2rYgHc5nT8wXfLs1dMe7uQiOj4VtRbCzA',
        expires_at: '2026-05-27T15:00:00+00:00',
        url: null,
      },
    },
  }),
  deletePreviews: endpoint({
    method: 'DELETE',
    path: '/api/v1/admin/posts/{id}/preview',
    summary: 'Make all preview tokens of a post or page void',
    description: 'Tokens that are created later are valid. The record keeps its version.',
    message: 'Previews deleted.',
    params: ofPost,
    example: { params: { id: 4 } },
  }),
}))
