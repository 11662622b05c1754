// Handlers of the newsletter: subscribing by mail or as a user, and the list of subscribers.
import { paged, reply } from '../http/reply.ts'
import { handlersOf } from '../lambda/handler.ts'
import { required } from '../runtime/environment.ts'
import {
  changeByToken,
  removeSubscriber,
  requestByEmail,
  subscribeUser,
  unsubscribeUser,
} from './commands.ts'
import { adminNewsletter, newsletter, ownNewsletter } from './contract.ts'
import { getOwnSubscription, listSubscribers } from './store.ts'
import { confirmByLink, unsubscribe } from './subscriber.ts'

export const newsletterHandlers = handlersOf(newsletter, {
  subscribe: ({ body, work }) => requestByEmail(work, body.email),

  confirm: ({ body, work, environment }) =>
    changeByToken(work, required(environment, 'PRIVATE_KEY'), body.token, confirmByLink),

  unsubscribe: ({ body, work, environment }) =>
    changeByToken(work, required(environment, 'PRIVATE_KEY'), body.token, unsubscribe),
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
