// The endpoint of search.
import * as z from 'zod/mini'
import { endpoint, group, pageQuery } from '../http/endpoint.ts'
import { named } from '../http/named.ts'
import { CategoryOfPost, PostListItem } from '../posts/fields.ts'
import { SearchText } from './query.ts'

export const SearchResults = named(
  'SearchResults',
  z.object({
    query: z.string(),
    total: z.int(),
    posts: z.array(PostListItem),
    categories: z.array(CategoryOfPost),
  }),
)

export const search = group(() => ({
  search: endpoint({
    method: 'GET',
    path: '/api/v1/search',
    summary: 'Search posts, pages and categories',
    message: 'Search results.',
    query: z.extend(z.pick(pageQuery(20, 50), { per_page: true }), { q: SearchText }),
    data: SearchResults,
  }),
}))
