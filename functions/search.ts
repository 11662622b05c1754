// Search over posts and pages.
import { reply } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'
import { search } from '../shared/search/contract.ts'
import { showSearch } from '../shared/search/store/search-results.ts'

export const handler = serve(search, {
  search: async ({ query, table, nowMs }) => reply(await showSearch(table, query, nowMs)),
})
