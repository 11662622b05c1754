// The records that checks share, each created on its first use.
import { type Answer, at, fallShort, hold, notRun, succeeds } from './answer.ts'
import type { Hook } from './receiver.ts'
import type { Suite } from './suite.ts'
import { each, integer, itemsOf, text } from './values.ts'

const DAY_MS = 86_400_000
export const SIBLINGS = 6

/** A moment relative to now, as whole seconds in UTC. */
export function inMs(ms: number): string {
  return new Date(Math.floor((Date.now() + ms) / 1000) * 1000).toISOString().replace('.000Z', '+00:00')
}

export type PostRecord = { id: number; slug: string; title: string }

export async function createPost(suite: Suite, body: Record<string, unknown> = {}): Promise<PostRecord> {
  const title = suite.unique('post')
  const answer = succeeds(await suite.admin('POST', '/admin/posts', { title, ...body }))
  return {
    id: integer(answer, 'data.id'),
    slug: text(answer, 'data.slug'),
    title: text(answer, 'data.title'),
  }
}

/** A post that has been public for a minute. */
export function createLivePost(suite: Suite, body: Record<string, unknown> = {}): Promise<PostRecord> {
  return createPost(suite, { is_published: true, posted_at: inMs(-60_000), ...body })
}

export async function createCategory(suite: Suite, body: Record<string, unknown> = {}) {
  const name = suite.unique('category')
  const answer = succeeds(await suite.admin('POST', '/admin/categories', { name, ...body }))
  return { id: integer(answer, 'data.id'), slug: text(answer, 'data.slug'), name: text(answer, 'data.name') }
}

/** A category with six live posts, of which the first is the newest, a draft and a scheduled post. */
export function family(suite: Suite) {
  return suite.once('family', async () => {
    const category = await createCategory(suite, { description: 'What the posts of the suite share.' })
    const word = `w${suite.mark.split(' ')[1]}`
    const body = `<h2>Heading</h2><p>The word ${word} is in the body.</p>`
    const common = { body, category_ids: [category.id] }
    const live: PostRecord[] = []
    for (let day = 1; day <= SIBLINGS; day++) {
      const moment = { is_published: true, posted_at: inMs(-day * DAY_MS) }
      live.push(await createPost(suite, { ...common, ...moment, short_description: 'In short.' }))
    }
    const draft = await createPost(suite, { ...common, is_published: false })
    const scheduled = await createPost(suite, { ...common, is_published: true, posted_at: inMs(DAY_MS) })
    const [first] = live
    if (first === undefined) return notRun('No post was created.')
    return { category, word, live, first, draft, scheduled }
  })
}

/** The list of the family's live posts. */
export async function familyList(suite: Suite, query = ''): Promise<Answer> {
  const { category } = await family(suite)
  const path = `/posts?category=${encodeURIComponent(category.slug)}${query}`
  return succeeds(await suite.reader('GET', path), 200)
}

/** The items at `path` include every live post of the family. */
export async function includesFamily(suite: Suite, answer: Answer, path = 'data'): Promise<void> {
  const { live } = await family(suite)
  const ids = each(answer, path, 'id', integer)
  const missing = live.filter(({ id }) => !ids.includes(id))
  hold(missing.length === 0, `${answer.request} lacks ${missing.length} of ${SIBLINGS} posts.`)
}

/** The single public view of the family's first post. */
export async function familyPost(suite: Suite): Promise<Answer> {
  const { first } = await family(suite)
  return succeeds(await suite.reader('GET', `/posts/${encodeURIComponent(first.slug)}`), 200)
}

export type Subscription = { id: number; secret: string; hook: Hook; answer: Answer }

/** Not run if the service refuses the receiver's address, as one that runs elsewhere may. */
export async function subscribe(suite: Suite, events: string[], hook?: Hook): Promise<Subscription> {
  const receiving = hook ?? (await suite.receiver()).open()
  const body = { name: suite.unique('hook'), url: receiving.url, events }
  const answer = await suite.admin('POST', '/admin/webhooks', body)
  if (answer.status === 422) {
    notRun(`The service refuses the receiver's address ${receiving.url}. Give --receiver-url URL.`)
  }
  succeeds(answer)
  return { id: integer(answer, 'data.id'), secret: text(answer, 'data.secret'), hook: receiving, answer }
}

/** The subscription as the list shows it. */
export async function listed(suite: Suite, id: number): Promise<{ answer: Answer; path: string }> {
  const answer = succeeds(await suite.admin('GET', '/admin/webhooks'), 200)
  const path = itemsOf(answer, 'data').find(item => integer(answer, `${item}.id`) === id)
  return { answer, path: path ?? fallShort(`${answer.request} does not list the subscription ${id}.`) }
}

/** Logs in with the account that was given. */
export async function logIn(suite: Suite): Promise<Answer> {
  if (!suite.account) notRun('It needs an account: --email EMAIL and the variable PASSWORD.')
  const { email, password } = suite.account
  const body = { email, password, device_name: suite.unique('device') }
  return succeeds(await suite.reader('POST', '/auth/login', body), 200, 201)
}

/** One login for all checks, because only five a minute are allowed. */
export function loggedIn(suite: Suite): Promise<Answer> {
  return suite.once('login', () => logIn(suite))
}

/** A new token of the user with these abilities; it is logged out at the end. */
export async function newToken(suite: Suite, abilities: string[]): Promise<string> {
  const body = { name: suite.unique('token'), abilities }
  const answer = succeeds(await suite.user('POST', '/me/tokens', body), 200, 201)
  const token = at(answer, 'data.token')
  return typeof token === 'string' ? token : notRun('The new token is not in `data.token`.')
}
