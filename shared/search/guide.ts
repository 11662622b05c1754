// The guide to search, with an example.
import { type Guide, guideOf } from '../http/guide.ts'
import { LISTED_POST } from '../posts/guide.ts'
import { search } from './contract.ts'

export const SEARCH_GUIDES: Guide[] = guideOf(search, {
  search: {
    description: `Searches posts and pages together; \`GET /api/v1/posts?q=…\` searches posts alone, page by page. A word found in
      the title counts more than one in the short description, and that more than one in the body; among equals the newest
      comes first. A published post is found within five seconds, hundreds at once within a minute. What readers may not see
      is never found.`,
    query: { q: 'hello' },
    data: { query: 'hello', total: 1, posts: [LISTED_POST], categories: [] },
  },
})
