// Newsletter subscribers for tests: pending and confirmed ones, their mails and their events.
import { adminNewsletter, newsletter } from '../../shared/newsletter/contract.ts'
import { newsletterKey } from '../../shared/table/design.ts'
import { listenTo } from './subscriber.ts'
import type { World } from './world.ts'

const EVENTS = ['newsletter.subscribed', 'newsletter.unsubscribed']

export function newsletterWorld(world: World) {
  const address = () => `${world.unique('Reader').replace(' ', '')}@example.com`
  const subscribe = (email: unknown) => world.call(newsletter.subscribe, { body: { email } })
  const confirm = (token: string) => world.call(newsletter.confirm, { body: { token } })
  const unsubscribe = (token: string) => world.call(newsletter.unsubscribe, { body: { token } })

  const list = (query: Record<string, string | number> = {}) =>
    world.call(adminNewsletter.listSubscribers, { token: world.admin, query })
  /** Returns the subscriber as an admin sees it, or undefined. */
  const find = async (email: string) =>
    (await list({ per_page: 100 })).data.find(subscriber => subscriber.email === email)
  const get = async (email: string) => {
    const subscriber = await find(email)
    if (!subscriber) throw new Error(`There is no subscriber ${email}.`)
    return subscriber
  }
  const remove = (id: number) =>
    world.call(adminNewsletter.deleteSubscriber, { token: world.admin, params: { id } })

  /** Creates a pending subscriber, with the token of its mail. */
  const pending = async () => {
    const email = address()
    await subscribe(email)
    const { token } = await world.mailTo(email)
    return { ...(await get(email)), token }
  }
  const subscribed = async () => {
    const { email, token } = await pending()
    await confirm(token)
    return { ...(await get(email)), token }
  }

  /** Sets the time of the last mail to that long ago. */
  const mailedAgo = (id: number, seconds: number) =>
    world.table.write({
      Update: {
        Key: newsletterKey(id),
        UpdateExpression: 'SET mailed_at = :at',
        ExpressionAttributeValues: { ':at': Math.floor(Date.now() / 1000) - seconds },
      },
    })

  /** Returns the mails to an address, including late ones: waits for a newer mail to another address. */
  const mailsTo = async (email: string) => {
    await pending()
    return world.mails.filter(({ to }) => to === email)
  }

  const listen = async () => {
    const eventsAbout = await listenTo(world, EVENTS, subscribed)
    return async (id: number, count: number) =>
      (await eventsAbout(id, count)).map(({ event, data }) => ({ event, data }))
  }

  return {
    address,
    subscribe,
    confirm,
    unsubscribe,
    list,
    find,
    get,
    remove,
    pending,
    subscribed,
    mailedAgo,
    mailsTo,
    listen,
  }
}
