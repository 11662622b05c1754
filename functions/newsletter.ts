// Subscribing to the newsletter, by mail or as a user, and opting out again.
import { changeUser } from '../shared/accounts/commands/users.ts'
import { getUser } from '../shared/accounts/store/users.ts'
import { invalid } from '../shared/http/errors.ts'
import { noData, reply } from '../shared/http/reply.ts'
import type { Call } from '../shared/lambda/handler.ts'
import { serve } from '../shared/lambda/serve.ts'
import { changeByEmail, changeById, requestByEmail } from '../shared/newsletter/commands.ts'
import { newsletter } from '../shared/newsletter/contract.ts'
import { subscriberIdOf } from '../shared/newsletter/links.ts'
import { findByEmail } from '../shared/newsletter/store.ts'
import {
  confirmSubscription,
  isConfirmable,
  type Subscriber,
  unknownSubscriber,
  unsubscribe,
} from '../shared/newsletter/subscriber.ts'
import { ownSubscription, unverifiedSubscription } from '../shared/newsletter/view.ts'
import { required } from '../shared/runtime/environment.ts'
import type { Table } from '../shared/table/client.ts'

function wrongToken() {
  return invalid({ token: ['Is wrong or expired: ask for a new mail.'] })
}

type ByToken = Pick<Call<typeof newsletter.confirm>, 'body' | 'work' | 'environment'>

/** Whoever a token names; a wrong one and one of a subscriber who is gone are answered alike. */
async function changeByToken(
  { body, work, environment }: ByToken,
  rule: (subscriber: Subscriber, nowSeconds: number) => Subscriber,
) {
  const keys = [required(environment, 'LINK_KEY'), required(environment, 'CLIENT_KEY')]
  const id = subscriberIdOf(keys, body.token, work.nowSeconds)
  const changed = id === undefined ? undefined : await changeById(work, id, rule)
  if (!changed) throw wrongToken()
  return noData()
}

/**
 * Anybody can register with a stranger's address. Until it is verified its owner alone acts on the subscription, by
 * mail; the account keeps what it asked for, which is all that it is shown.
 */
function notingWish(table: Table, userId: number, wants_newsletter: boolean) {
  return changeUser(table, userId, user =>
    user.email_verified || (user.wants_newsletter ?? false) === wants_newsletter
      ? user
      : { ...user, wants_newsletter },
  )
}

export const handler = serve(newsletter, {
  subscribe: async ({ body, work }) => {
    await requestByEmail(work, body.email)
    return noData()
  },

  confirm: call =>
    changeByToken(call, (subscriber, nowSeconds) => {
      if (!isConfirmable(subscriber, nowSeconds)) throw wrongToken()
      return confirmSubscription(subscriber, nowSeconds)
    }),

  unsubscribe: call => changeByToken(call, unsubscribe),

  getSubscription: async ({ actor, table, work }) => {
    const user = await getUser(table, actor.userId)
    const { email } = user
    if (!user.email_verified) return reply(unverifiedSubscription(user))
    return reply(
      ownSubscription((await findByEmail(table, email)) ?? unknownSubscriber(email, work.nowSeconds)),
    )
  },

  subscribeMe: async ({ actor, work }) => {
    const user = await notingWish(work.table, actor.userId, true)
    if (user.email_verified) {
      return reply(ownSubscription(await changeByEmail(work, user.email, confirmSubscription)))
    }
    await requestByEmail(work, user.email)
    return reply(unverifiedSubscription(user))
  },

  unsubscribeMe: async ({ actor, work }) => {
    const user = await notingWish(work.table, actor.userId, false)
    if (user.email_verified) await changeByEmail(work, user.email, unsubscribe)
    return noData()
  },
})
