// Handlers of the newsletter: subscribing by mail or as a user, and the list of subscribers.
import { paged, reply } from '../http/reply.ts'
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
  subscribe: ({ body, work }) => requestByEmail(work, body.email),

  confirm: ({ body, work, environment }) =>
    confirmByToken(work, { key: required(environment, 'PRIVATE_KEY'), token: body.token }),

  unsubscribe: ({ body, work, environment }) =>
    unsubscribeByToken(work, { key: required(environment, 'PRIVATE_KEY'), token: body.token }),
})

export const ownNewsletterHandlers = handlersOf(ownNewsletter, {
  getSubscription: async ({ actor, table, work }) =>
    reply(await getOwnSubscription(table, actor.userId, work.nowSeconds)),

  subscribeMe: async ({ actor, work }) => reply(await subscribeUser(work, actor.userId)),

  unsubscribeMe: ({ actor, work }) => unsubscribeUser(work, actor.userId),
})

export const adminNewsletterHandlers = handlersOf(adminNewsletter, {
  listSubscribers: async ({ query, table }) => paged(await listSubscribers(table, query), query),

  deleteSubscriber: ({ params, work }) => removeSubscriber(work, params.id),
})
