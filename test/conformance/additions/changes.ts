// What copies of the content read: changes, walks by cursor, and the allowance of a build.
import type { Section } from '../check.ts'
import { createPost, family, familyList, inMs } from '../records.ts'
import type { Suite } from '../suite.ts'
import {
  type Answer,
  absent,
  each,
  equal,
  fails,
  fallShort,
  flag,
  hold,
  integer,
  isInvalid,
  itemsOf,
  list,
  notRun,
  succeeds,
  text,
} from '../values.ts'

async function changes(suite: Suite, since: string): Promise<Answer> {
  const query = `?since=${encodeURIComponent(since)}&include=item&limit=100`
  return succeeds(await suite.reader('GET', `/changes${query}`), 200)
}

/** The cursor of now. */
async function cursor(suite: Suite): Promise<string> {
  const answer = succeeds(await suite.reader('GET', '/changes'), 200)
  hold(list(answer, 'data').length === 0, `${answer.request} lists changes without a cursor.`)
  return text(answer, 'cursor.next')
}

/** The path of the entry of a post. */
function entryOf(answer: Answer, id: number): string {
  const entry = itemsOf(answer, 'data').find(item => integer(answer, `${item}.id`) === id)
  return entry ?? fallShort(`${answer.request} does not name the post ${id}.`)
}

async function limitOf(suite: Suite, token?: string): Promise<number> {
  const { headers } = succeeds(await suite.as(token)('GET', '/posts?per_page=1'), 200)
  return Number(headers.get('X-RateLimit-Limit'))
}

const PUBLISHED = { is_published: true, posted_at: inMs(-60_000) }

export const CHANGES: Section = {
  part: 'additions',
  title: 'Changes, walks, builds',
  checks: {
    'no change that was committed before the answer to its write went out may be missed by a reader that asks after the webhook, and none for ever.':
      async suite => {
        const since = await cursor(suite)
        const { id, title } = await createPost(suite, PUBLISHED)
        const answer = await changes(suite, since)
        const entry = entryOf(answer, id)
        equal(answer, `${entry}.type`, 'post')
        equal(answer, `${entry}.change`, 'upserted')
        equal(answer, `${entry}.item.title`, title)
        flag(answer, 'cursor.more')
        text(answer, 'cursor.next')
      },
    '`removed` is all that left public view, deletion and unpublishing alike; it names id and slug and nothing else.':
      async suite => {
        const { id, slug } = await createPost(suite, PUBLISHED)
        const since = await cursor(suite)
        succeeds(await suite.admin('POST', `/admin/posts/${id}/unpublish`), 200)
        const answer = await changes(suite, since)
        const entry = entryOf(answer, id)
        equal(answer, `${entry}.change`, 'removed')
        equal(answer, `${entry}.slug`, slug)
        absent(answer, `${entry}.item`)
      },
    'A broken one, or one of another endpoint, is 422 on its parameter.': async suite => {
      isInvalid(await suite.reader('GET', '/changes?since=broken'))
      const since = encodeURIComponent(await cursor(suite))
      isInvalid(await suite.reader('GET', `/posts?after=${since}`))
    },
    'Walking by it, an entry that nobody touched is met exactly once, whatever is published, removed or rescheduled meanwhile.':
      async suite => {
        const { live, category } = await family(suite)
        const first = await familyList(suite, '&per_page=2')
        const after = encodeURIComponent(text(first, 'cursor.next'))
        const { id } = await createPost(suite, { ...PUBLISHED, category_ids: [category.id] })
        const second = await familyList(suite, `&per_page=2&after=${after}`)
        succeeds(await suite.admin('DELETE', `/admin/posts/${id}`))
        const met = [first, second].flatMap(answer => each(answer, 'data', 'id', integer))
        const expected = live.slice(0, met.length).map(post => post.id)
        hold(`${met}` === `${expected}`, `A walk met the posts ${met}, and not ${expected}.`)
      },
    'Public and admin lists of posts and pages take `after` (a cursor) instead of `page` (both: 422), and every answer of such a list has `cursor.next`.':
      async suite => {
        const after = encodeURIComponent(text(await familyList(suite, '&per_page=2'), 'cursor.next'))
        isInvalid(await suite.reader('GET', `/posts?page=2&after=${after}`))
        const all = succeeds(await suite.admin('GET', '/admin/posts?per_page=1'), 200)
        text(all, 'cursor.next')
      },
    '`order=oldest` on the public lists of posts gives the same entries from the oldest on, with `after` or `page`: full pages of it never change by a new post.':
      async suite => {
        const newest = each(await familyList(suite), 'data', 'id', integer)
        const answer = await familyList(suite, '&order=oldest')
        const oldest = each(answer, 'data', 'id', integer)
        hold(`${oldest}` === `${newest.toReversed()}`, `${answer.request} does not begin with the oldest.`)
        equal(await familyList(suite, '&order=oldest&per_page=1'), 'pagination.total', newest.length)
      },
    "A token with the ability `builds:read` (given by an admin through `POST /me/tokens`, or by the owner's command line; nothing else is allowed by it) may be sent with public reads: they are then counted per token, 1,200 a minute, and not per address.":
      async suite => {
        const body = { name: suite.unique('build'), abilities: ['builds:read'] }
        const created = await suite.admin('POST', '/me/tokens', body)
        if (created.status === 403) notRun('It needs an admin token that also has the ability `user`.')
        const token = text(succeeds(created), 'data.token')
        const [build, reader] = [await limitOf(suite, token), await limitOf(suite)]
        hold(build === 20 * reader, `The limit with the token is ${build}, and without it ${reader}.`)
        fails(await suite.as(token)('GET', '/me'), 403, 'FORBIDDEN')
      },
  },
}
