// Subscribers of the newsletter, for admins.
import { noData, paged } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'
import { removeSubscriber } from '../shared/newsletter/commands/subscribers.ts'
import { adminNewsletter } from '../shared/newsletter/contract.ts'
import { listSubscribers } from '../shared/newsletter/store.ts'

export const handler = serve(adminNewsletter, {
  listSubscribers: async ({ query, table }) => {
    const { items, total } = await listSubscribers(table, query)
    return paged(items, total, query)
  },

  deleteSubscriber: async ({ params, work }) => {
    await removeSubscriber(work, params.id)
    return noData()
  },
})
