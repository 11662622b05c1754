// Submissions of the contact form, for admins.
import { removeSubmission } from '../shared/contact/commands.ts'
import { adminContact } from '../shared/contact/contract.ts'
import { listSubmissions } from '../shared/contact/store.ts'
import { submissionView } from '../shared/contact/view.ts'
import { noData, paged } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'

export const handler = serve(adminContact, {
  listSubmissions: async ({ query, table }) => {
    const { items, total } = await listSubmissions(table, query.page, query.per_page)
    return paged(items.map(submissionView), total, query)
  },

  deleteSubmission: async ({ params, work }) => {
    await removeSubmission(work, params.id)
    return noData()
  },
})
