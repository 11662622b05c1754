// Descriptions of the members of search results, and of the parameters of a search.
import { type Description, describes, pageTexts } from '../http/descriptions.ts'
import { SEARCH_TEXT } from '../posts/descriptions.ts'
import { SearchResults, search } from './contract.ts'

export const SEARCH_DESCRIPTIONS: Description[] = [
  describes(SearchResults, {
    query: 'The search text, trimmed.',
    total: 'Number of all posts and pages that match, not only of those shown.',
    posts: 'The best matches among posts and pages.',
    categories: 'Categories that match by name or description, by name, at most 20.',
  }),
  describes(search.search.query, { per_page: pageTexts(20, 50).per_page, q: SEARCH_TEXT }),
]
