// The endpoints of posts and pages, for readers and for admins.
import * as z from 'zod/mini'
import { EmptyData, endpoint, group, Id } from '../http/endpoint.ts'
import { ONE_START, walkParameters } from '../http/list-query.ts'
import { SearchText } from '../search/query.ts'
import { SlugQuery } from '../slugs/slug.ts'
import {
  AdminListItem,
  AdminPost,
  ContentType,
  INCLUDE,
  ORDER,
  PostChange,
  PostInput,
  PostListItem,
  SinglePost,
} from './fields.ts'

const bySlug = z.object({ slug: z.string() })
const byId = z.object({ id: Id })
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

export const posts = group(() => ({
  listPosts: endpoint({
    method: 'GET',
    path: '/api/v1/posts',
    summary: 'List public posts, newest first, or search them with `q`',
    message: 'Posts.',
    query: z
      .object({
        ...walkParameters(),
        category: z.optional(SlugQuery),
        q: z.optional(SearchText),
        ...ORDER,
        ...INCLUDE,
      })
      .check(ONE_START, noSearchAfter(), noSearchFromOldest()),
    data: z.array(PostListItem),
    isPaginated: true,
    hasCursor: true,
  }),
  getPost: endpoint({
    method: 'GET',
    path: '/api/v1/posts/{slug}',
    summary: 'Get a public post',
    message: 'Post.',
    params: bySlug,
    data: SinglePost,
  }),
  listRelated: endpoint({
    method: 'GET',
    path: '/api/v1/posts/{slug}/related',
    summary: 'List posts related to a post',
    message: 'Related posts.',
    params: bySlug,
    data: z.array(PostListItem),
  }),
  listPages: endpoint({
    method: 'GET',
    path: '/api/v1/pages',
    summary: 'List public pages by title',
    message: 'Pages.',
    query: z.object({ ...walkParameters(), ...INCLUDE }).check(ONE_START),
    data: z.array(PostListItem),
    isPaginated: true,
    hasCursor: true,
  }),
  getPage: endpoint({
    method: 'GET',
    path: '/api/v1/pages/{slug}',
    summary: 'Get a public page',
    message: 'Page.',
    params: bySlug,
    data: SinglePost,
  }),
}))

/** `deletePost` and `unpublishPost` emit these as well: any write announces a post that became due before. */
const GOES_LIVE = ['post.published', 'page.published'] as const
const CHANGES_VIEW = [...GOES_LIVE, 'post.updated', 'post.unpublished'] as const

export const adminPosts = group(() => ({
  listPosts: endpoint({
    method: 'GET',
    path: '/api/v1/admin/posts',
    audience: 'admin',
    readsContent: true,
    summary: 'List all posts and pages, drafts and scheduled ones included',
    message: 'Posts.',
    query: z
      .object({
        ...walkParameters(),
        drafts_only: z._default(flag, false),
        content_type: z.optional(ContentType),
        slug: z.optional(SlugQuery),
      })
      .check(ONE_START),
    data: z.array(AdminListItem),
    isPaginated: true,
    hasCursor: true,
  }),
  createPost: endpoint({
    method: 'POST',
    path: '/api/v1/admin/posts',
    audience: 'admin',
    isVersioned: true,
    summary: 'Create a post or page',
    message: 'Post created.',
    body: PostInput,
    data: AdminPost,
    status: 201,
    emits: GOES_LIVE,
  }),
  getPost: endpoint({
    method: 'GET',
    path: '/api/v1/admin/posts/{id}',
    audience: 'admin',
    isVersioned: true,
    readsContent: true,
    summary: 'Get a post or page by its id',
    message: 'Post.',
    params: byId,
    data: AdminPost,
  }),
  changePost: endpoint({
    method: 'PATCH',
    path: '/api/v1/admin/posts/{id}',
    audience: 'admin',
    isVersioned: true,
    summary: 'Update a post or page',
    message: 'Post updated.',
    params: byId,
    body: PostChange,
    data: AdminPost,
    emits: CHANGES_VIEW,
  }),
  deletePost: endpoint({
    method: 'DELETE',
    path: '/api/v1/admin/posts/{id}',
    audience: 'admin',
    isVersioned: true,
    summary: 'Delete a post or page permanently',
    message: 'Post deleted.',
    params: byId,
    data: EmptyData,
    emits: [...GOES_LIVE, 'post.deleted'],
  }),
  publishPost: endpoint({
    method: 'POST',
    path: '/api/v1/admin/posts/{id}/publish',
    audience: 'admin',
    isVersioned: true,
    summary: 'Publish or schedule a post or page',
    message: 'Post published.',
    params: byId,
    data: AdminPost,
    emits: GOES_LIVE,
  }),
  unpublishPost: endpoint({
    method: 'POST',
    path: '/api/v1/admin/posts/{id}/unpublish',
    audience: 'admin',
    isVersioned: true,
    summary: 'Turn a post or page back into a draft',
    message: 'Post unpublished.',
    params: byId,
    data: AdminPost,
    emits: [...GOES_LIVE, 'post.unpublished'],
  }),
}))
