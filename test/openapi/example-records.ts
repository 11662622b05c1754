// Creates the records that examples of the document name, each like the one in its example.
import { auth, me } from '../../shared/accounts/contract.ts'
import { adminComments, comments } from '../../shared/comments/contract.ts'
import { contact } from '../../shared/contact/contract.ts'
import { ABILITIES } from '../../shared/http/audience.ts'
import { search } from '../../shared/search/contract.ts'
import { adminSite } from '../../shared/site/contract.ts'
import { newsletterWorld } from '../world/newsletter-world.ts'
import { openSubscriber } from '../world/subscriber.ts'
import { ticketWorld } from '../world/ticket-world.ts'
import { until } from '../world/until.ts'
import type { World } from '../world/world.ts'

const IMAGE = {
  thumbnail: 'https://images.example.com/200.jpg',
  original: 'https://images.example.com/1.jpg',
}
const PASSWORD = 'the password before'
const ITEMS = [{ label: 'Blog', url: '/blog', children: [{ label: 'News', url: '/blog/news' }] }]

/** The same record each time. */
function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined
  return () => {
    made ??= make()
    return made
  }
}

export function exampleRecords(world: World) {
  const { given, call, admin: token, mailTo } = world
  const { pending, subscribed } = newsletterWorld(world)
  const tickets = ticketWorld(world)

  /** The post `hello-world` in the category `news`, and another one there. */
  const hello = once(async () => {
    const { id } = await given.category({ slug: 'news' })
    const members = { category_ids: [id], featured_image: IMAGE }
    const post = await given.livePost({ title: 'Hello, world', slug: 'hello-world', ...members })
    await given.livePost(members)
    return post
  })
  const about = once(() => given.livePost({ title: 'About', slug: 'about', content_type: 'page' }))
  const draft = async () => given.post({ category_ids: (await hello()).category_ids })
  const indexed = async () => {
    await hello()
    const total = async () => (await call(search.search, { query: { q: 'hello' } })).data.total
    await until('the post to be found', async () => (await total()) > 0)
  }

  /** A user who may do everything, so that her token fits every endpoint. */
  const ada = once(() => given.user({ abilities: [...ABILITIES] }))
  const registered = async () => {
    const email = `${world.unique('someone').replace(' ', '')}@example.com`
    await call(auth.register, { body: { name: 'Someone', email, password: PASSWORD } })
    return email
  }
  const ownToken = async () => {
    const body = { name: 'old', abilities: ['user'] }
    return (await call(me.createToken, { token: (await ada()).token, body })).data
  }
  const verificationToken = async () => (await mailTo(await registered())).token
  const resetToken = async () => {
    const email = await registered()
    await call(auth.forgotPassword, { body: { email } })
    return (await mailTo(email, 2)).token
  }

  const comment = async () => {
    const body = { post_id: (await hello()).id, body: 'First!' }
    const { data } = await call(comments.createOwnComment, { token: (await ada()).token, body })
    return data
  }
  const approvedComment = async () => {
    const { id } = await comment()
    await call(adminComments.approveComment, { token, params: { id } })
  }

  /** With a reply of the staff. */
  const ticket = async () => {
    const { id } = await tickets.open((await ada()).token)
    await tickets.staff.reply(id)
    return { id }
  }
  const resolvedTicket = async () => {
    const { id } = await ticket()
    await tickets.staff.change(id, { status: 'resolved' })
    return { id }
  }

  const message = async () => {
    const body = { name: 'Ada', email: 'ada@example.com', message: 'Hello?' }
    return (await call(contact.submitContact, { body })).data
  }
  const menu = (location: string) =>
    call(adminSite.putMenu, { token, params: { location }, body: { items: ITEMS } })
  const named = () => call(adminSite.changeSettings, { token, body: { 'general.site_name': 'Example' } })
  const webhook = async () => given.webhook((await openSubscriber()).url)

  return {
    given,
    about,
    ada,
    approvedComment,
    comment,
    draft,
    hello,
    indexed,
    menu,
    message,
    named,
    ownToken,
    password: PASSWORD,
    pending,
    registered,
    resetToken,
    resolvedTicket,
    subscribed,
    ticket,
    verificationToken,
    webhook,
  }
}

export type Records = ReturnType<typeof exampleRecords>
