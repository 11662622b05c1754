// The endpoint that searches posts and pages together, and categories.
import * as z from 'zod/mini'
import { endpoint, group } from '../http/endpoint.ts'
import { members, named } from '../http/members.ts'
import { perPage } from '../http/parameters.ts'
import { LISTED_POST } from './examples.ts'
import { CategoryOfPost, PostListItem, SEARCH_TEXT, SearchText } from './fields.ts'

const SearchResults = named(
  'SearchResults',
  members({
    query: [z.string(), 'The search text, trimmed.'],
    total: [z.int(), 'Number of all posts and pages that match, not only of those shown.'],
    posts: [z.array(PostListItem), 'The best matches among posts and pages.'],
    categories: [
      z.array(CategoryOfPost),
      'Categories that match by name or description, by name, at most 20.',
    ],
  }),
)

export const search = group({ public: 'Search in posts, pages and categories.' }, () => ({
  search: endpoint({
    method: 'GET',
    path: '/api/v1/search',
    summary: 'Search posts, pages and categories',
    description: `Searches posts and pages together; \`GET /api/v1/posts?q=…\` searches posts alone, page by page. A word found in
          the title counts more than one in the short description, and that more than one in the body; among equals the newest
          comes first. A published post is found from the moment its publication is answered, a scheduled one from its second. Of a very long post, at most 300 kB of
          different words are searched. While hundreds of changes, or several very long
          posts, wait for the index, some are found only when it contains them. What readers may not see is never found.`,
    message: 'Search results.',
    query: members({ ...perPage(20, 50), q: [SearchText, SEARCH_TEXT] }),
    data: SearchResults,
    example: {
      query: { q: 'hello' },
      data: { query: 'hello', total: 1, posts: [LISTED_POST], categories: [] },
    },
  }),
}))
