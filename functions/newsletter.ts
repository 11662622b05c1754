// Subscribing to the newsletter, by mail or as a user, and opting out again.
import { getUser } from '../shared/accounts/users.ts'
import { EmptyData } from '../shared/http/endpoint.ts'
import { invalid } from '../shared/http/errors.ts'
import { reply } from '../shared/http/reply.ts'
import { required } from '../shared/lambda/environment.ts'
import type { Call } from '../shared/lambda/handler.ts'
import { serve } from '../shared/lambda/serve.ts'
import { changeByEmail, changeById } from '../shared/newsletter/change.ts'
import { newsletter } from '../shared/newsletter/contract.ts'
import { subscriberOf } from '../shared/newsletter/links.ts'
import { findByEmail } from '../shared/newsletter/store.ts'
import {
  asked,
  confirmed,
  isConfirmable,
  nobody,
  optedOut,
  ownSubscription,
  type Subscriber,
} from '../shared/newsletter/subscriber.ts'

const wrongToken = () => invalid({ token: ['Is wrong or expired: ask for a new mail.'] })
const done = () => reply(EmptyData.parse({}))

type ByToken = Pick<Call<typeof newsletter.confirm>, 'body' | 'work' | 'environment'>

/** Whoever a token names; a wrong one and one of a subscriber who is gone are answered alike. */
const changeByToken = async (
  { body, work, environment }: ByToken,
  rule: (subscriber: Subscriber, now: number) => Subscriber,
) => {
  const id = subscriberOf(required(environment, 'CLIENT_KEY'), body.token, work.nowSeconds)
  const changed = id === undefined ? undefined : await changeById(work, id, rule)
  if (!changed) throw wrongToken()
  return done()
}

export const handler = serve(newsletter, {
  subscribe: async ({ body, work }) => {
    await changeByEmail(work, body.email, asked)
    return done()
  },

  confirm: call =>
    changeByToken(call, (subscriber, now) => {
      if (!isConfirmable(subscriber, now)) throw wrongToken()
      return confirmed(subscriber, now)
    }),

  unsubscribe: call => changeByToken(call, optedOut),

  getSubscription: async ({ actor, table, work }) => {
    const { email } = await getUser(table, actor.userId)
    return reply(ownSubscription((await findByEmail(table, email)) ?? nobody(email, work.nowSeconds)))
  },

  subscribeMe: async ({ actor, work }) => {
    const { email, email_verified } = await getUser(work.table, actor.userId)
    return reply(ownSubscription(await changeByEmail(work, email, email_verified ? confirmed : asked)))
  },

  unsubscribeMe: async ({ actor, work }) => {
    const { email } = await getUser(work.table, actor.userId)
    await changeByEmail(work, email, optedOut)
    return done()
  },
})
