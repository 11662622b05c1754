// The guide to search: texts and an example of its endpoint, and texts of the members.
import { describes } from '../http/descriptions.ts'
import { guideOf, type SliceGuide } from '../http/guide.ts'
import { SEARCH_TEXT } from '../posts/guide/endpoints.ts'
import { LISTED_POST } from '../posts/guide/examples.ts'
import { SearchResults, search } from './contract.ts'

export const SEARCH_GUIDE: SliceGuide = {
  tags: { search: 'Search in posts, pages and categories.' },
  endpoints: guideOf(
    search,
    {
      search: {
        description: `Searches posts and pages together; \`GET /api/v1/posts?q=…\` searches posts alone, page by page. A word found in
          the title counts more than one in the short description, and that more than one in the body; among equals the newest
          comes first. A published post is found from the moment its publication is answered, a scheduled one from its second; one with more
          than 500 kB of text without tags, or 130 kB of different words, within five seconds. While hundreds of changes, or several very long posts, wait for the index, some are found only when it contains them.
          What readers may not see is never found.`,
        query: { q: 'hello' },
        data: { query: 'hello', total: 1, posts: [LISTED_POST], categories: [] },
      },
    },
    { q: SEARCH_TEXT },
  ),
  members: [
    describes(SearchResults, {
      query: 'The search text, trimmed.',
      total: 'Number of all posts and pages that match, not only of those shown.',
      posts: 'The best matches among posts and pages.',
      categories: 'Categories that match by name or description, by name, at most 20.',
    }),
  ],
}
