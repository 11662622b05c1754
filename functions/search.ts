// Search over posts and pages.
import { serve } from '../shared/lambda/serve.ts'
import { search } from '../shared/search/contract.ts'
import { showSearch } from '../shared/search/store/search-results.ts'

export const handler = serve(search, {
  search: ({ query, table, content, nowMs }) => showSearch(table, content.names, query, nowMs),
})
