// Subscribing to the newsletter and unsubscribing, by mail or as a user.
import { noData, reply } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'
import { confirmByToken, unsubscribeByToken } from '../shared/newsletter/commands/by-token.ts'
import { subscribeUser, unsubscribeUser } from '../shared/newsletter/commands/own-subscription.ts'
import { requestByEmail } from '../shared/newsletter/commands/subscribers.ts'
import { newsletter } from '../shared/newsletter/contract.ts'
import { getOwnSubscription } from '../shared/newsletter/store.ts'
import { type Environment, required } from '../shared/runtime/environment.ts'

/** Links of old mails were signed with the key of client addresses. */
function keysOf(environment: Environment): [string, string] {
  return [required(environment, 'PRIVATE_KEY'), required(environment, 'CLIENT_KEY')]
}

export const handler = serve(newsletter, {
  subscribe: async ({ body, work }) => {
    await requestByEmail(work, body.email)
    return noData()
  },

  confirm: async ({ body, work, environment }) => {
    await confirmByToken(work, { keys: keysOf(environment), token: body.token })
    return noData()
  },

  unsubscribe: async ({ body, work, environment }) => {
    await unsubscribeByToken(work, { keys: keysOf(environment), token: body.token })
    return noData()
  },

  getSubscription: async ({ actor, table, work }) =>
    reply(await getOwnSubscription(table, actor.userId, work.nowSeconds)),

  subscribeMe: async ({ actor, work }) => reply(await subscribeUser(work, actor.userId)),

  unsubscribeMe: async ({ actor, work }) => {
    await unsubscribeUser(work, actor.userId)
    return noData()
  },
})
