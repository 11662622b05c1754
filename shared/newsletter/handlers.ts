// Handlers of the newsletter: subscribing by mail or as a user, and the list of subscribers.
import { noData, paged, reply } from '../http/reply.ts'
import { handlersOf } from '../lambda/handler.ts'
import { required } from '../runtime/environment.ts'
import {
  confirmByToken,
  removeSubscriber,
  requestByEmail,
  subscribeUser,
  unsubscribeByToken,
  unsubscribeUser,
} from './commands.ts'
import { adminNewsletter, newsletter, ownNewsletter } from './contract.ts'
import { getOwnSubscription, listSubscribers } from './store.ts'

export const newsletterHandlers = handlersOf(newsletter, {
  subscribe: async ({ body, work }) => {
    await requestByEmail(work, body.email)
    return noData()
  },

  confirm: async ({ body, work, environment }) => {
    await confirmByToken(work, { key: required(environment, 'PRIVATE_KEY'), token: body.token })
    return noData()
  },

  unsubscribe: async ({ body, work, environment }) => {
    await unsubscribeByToken(work, { key: required(environment, 'PRIVATE_KEY'), token: body.token })
    return noData()
  },
})

export const ownNewsletterHandlers = handlersOf(ownNewsletter, {
  getSubscription: async ({ actor, table, work }) =>
    reply(await getOwnSubscription(table, actor.userId, work.nowSeconds)),

  subscribeMe: async ({ actor, work }) => reply(await subscribeUser(work, actor.userId)),

  unsubscribeMe: async ({ actor, work }) => {
    await unsubscribeUser(work, actor.userId)
    return noData()
  },
})

export const adminNewsletterHandlers = handlersOf(adminNewsletter, {
  listSubscribers: async ({ query, table }) => paged(await listSubscribers(table, query), query),

  deleteSubscriber: async ({ params, work }) => {
    await removeSubscriber(work, params.id)
    return noData()
  },
})
