// Posts and pages: what is promised to readers and to admins.
import * as z from 'zod/mini'
import { EmptyData, endpoint, group, Id, pageQuery } from '../http/endpoint.ts'
import { SearchText } from '../search/query.ts'
import { SlugQuery } from '../slugs/slug.ts'
import {
  AdminListItem,
  AdminPost,
  ContentType,
  IncludeQuery,
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

export const posts = group(() => ({
  listPosts: endpoint({
    method: 'GET',
    path: '/api/v1/posts',
    summary: 'The public posts, newest first; with q, those that have its words, best match first',
    message: 'Posts.',
    query: z.extend(pageQuery(), {
      category: z.optional(SlugQuery),
      q: z.optional(SearchText),
      ...IncludeQuery.shape,
    }),
    data: z.array(PostListItem),
    isPaginated: true,
  }),
  getPost: endpoint({
    method: 'GET',
    path: '/api/v1/posts/{slug}',
    summary: 'One public post',
    message: 'Post.',
    params: bySlug,
    data: SinglePost,
  }),
  listRelated: endpoint({
    method: 'GET',
    path: '/api/v1/posts/{slug}/related',
    summary: 'Posts that share a category with this one, newest first',
    message: 'Related posts.',
    params: bySlug,
    data: z.array(PostListItem),
  }),
  listPages: endpoint({
    method: 'GET',
    path: '/api/v1/pages',
    summary: 'The public pages, by title',
    message: 'Pages.',
    query: z.extend(pageQuery(), IncludeQuery.shape),
    data: z.array(PostListItem),
    isPaginated: true,
  }),
  getPage: endpoint({
    method: 'GET',
    path: '/api/v1/pages/{slug}',
    summary: 'One public page',
    message: 'Page.',
    params: bySlug,
    data: SinglePost,
  }),
}))

const GOES_LIVE = ['post.published', 'page.published'] as const
const CHANGES_VIEW = [...GOES_LIVE, 'post.updated', 'post.unpublished'] as const

export const adminPosts = group(() => ({
  listPosts: endpoint({
    method: 'GET',
    path: '/api/v1/admin/posts',
    audience: 'admin',
    summary: 'All posts and pages, drafts and scheduled ones too, newest id first',
    message: 'Posts.',
    query: z.extend(pageQuery(), {
      drafts_only: z._default(flag, false),
      content_type: z.optional(ContentType),
      slug: z.optional(SlugQuery),
    }),
    data: z.array(AdminListItem),
    isPaginated: true,
  }),
  createPost: endpoint({
    method: 'POST',
    path: '/api/v1/admin/posts',
    audience: 'admin',
    isVersioned: true,
    summary: 'A new post or page',
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
    summary: 'One post or page by its id, whatever its state',
    message: 'Post.',
    params: byId,
    data: AdminPost,
  }),
  changePost: endpoint({
    method: 'PATCH',
    path: '/api/v1/admin/posts/{id}',
    audience: 'admin',
    isVersioned: true,
    summary: 'Other values for some members of a post or page',
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
    summary: 'The post or page goes for good',
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
    summary: 'The post goes live, or is scheduled when its date is still to come',
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
    summary: 'The post leaves public view and is a draft again',
    message: 'Post unpublished.',
    params: byId,
    data: AdminPost,
    emits: [...GOES_LIVE, 'post.unpublished'],
  }),
}))
