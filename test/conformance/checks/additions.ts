// What the service adds to the contract: headers of every endpoint, and that other clients notice nothing.
import { type Answer, at, equal, fails, hold, succeeds } from '../answer.ts'
import type { Section } from '../check.ts'
import { createLivePost, createPost, family, subscribe } from '../records.ts'
import { integer } from '../values.ts'

export const HTTP: Section = {
  part: 'additions',
  title: 'Headers',
  checks: {
    'Every response carries `X-Request-Id`. A client may send its own; one that is not 1 to 128 characters of `[A-Za-z0-9._-]` is replaced, not refused.':
      async suite => {
        const plain = await suite.reader('GET', '/posts')
        hold(plain.headers.get('X-Request-Id') !== null, `${plain.request} has no X-Request-Id.`)
        const own = { headers: { 'X-Request-Id': 'suite-1.2_3' } }
        const given = await suite.reader('GET', '/posts', undefined, own)
        hold(given.headers.get('X-Request-Id') === 'suite-1.2_3', 'The id of the client is not returned.')
        const wrong = await suite.reader('GET', '/posts', undefined, { headers: { 'X-Request-Id': 'a b' } })
        hold(wrong.headers.get('X-Request-Id') !== 'a b', 'An invalid id is returned.')
      },
    "CORS: `Access-Control-Allow-Origin: *` on every response, errors and the gateway's own included;":
      async suite => {
        for (const path of ['/posts', '/me', '/no-such-path']) {
          const { headers, request } = await suite.reader('GET', path)
          const origin = headers.get('Access-Control-Allow-Origin')
          hold(origin === '*', `${request}: Access-Control-Allow-Origin is ${origin}.`)
        }
        succeeds(await suite.reader('OPTIONS', '/posts'), 204)
      },
    "Public GETs (health aside) carry a weak `ETag`, a hash of the answer's JSON;": async suite => {
      const { first } = await family(suite)
      const path = `/posts/${first.slug}`
      const etag = (await suite.reader('GET', path)).headers.get('ETag') ?? 'missing'
      hold(etag.startsWith('W/"'), `The ETag is ${etag}.`)
      succeeds(await suite.reader('GET', path, undefined, { headers: { 'If-None-Match': etag } }), 304)
    },
    '`If-None-Match` compares weakly (304), `If-Match` strongly (412) on admin PATCH, DELETE, publish and unpublish of posts and categories; both take lists and `*`; without them nothing changes.':
      async suite => {
        const { id } = await createPost(suite)
        const path = `/admin/posts/${id}`
        const etag = (await suite.admin('GET', path)).headers.get('ETag') ?? ''
        const headers = { 'If-Match': etag }
        succeeds(await suite.admin('PATCH', path, { body: '<p>1</p>' }, { headers }), 200)
        fails(await suite.admin('PATCH', path, { body: '<p>2</p>' }, { headers }), 412, 'PRECONDITION_FAILED')
      },
    'An admin POST accepts `Idempotency-Key` (1 to 255 characters): the same key, path and body from the same user within 24 h gives the first answer again (`Idempotent-Replayed: true`) and does nothing.':
      async suite => {
        const body = { title: suite.unique('post') }
        const ask = { headers: { 'Idempotency-Key': suite.unique('key') } }
        const first = succeeds(await suite.admin('POST', '/admin/posts', body, ask), 201)
        const again = succeeds(await suite.admin('POST', '/admin/posts', body, ask), 201)
        equal(again, 'data.id', integer(first, 'data.id'))
        hold(again.headers.get('Idempotent-Replayed') === 'true', 'Idempotent-Replayed is missing.')
        const other = await suite.admin('POST', '/admin/posts', { title: suite.unique('post') }, ask)
        fails(other, 409, 'IDEMPOTENCY_CONFLICT')
      },
    '`HEAD` is served wherever `GET` is.': async suite => {
      const answer = succeeds(await suite.reader('HEAD', '/posts'), 200)
      hold(answer.text === '', 'The answer to HEAD has a body.')
    },
  },
}

/** Members of a subscription, as a client knows them that names no addition. */
const MEMBERS = ['id', 'name', 'url', 'events', 'is_active', 'total_deliveries', 'failed_deliveries']

/** Status, headers and bytes, but for what no two answers share, also of the gateway's own. */
function bytesOf({ status, headers, text }: Answer): string {
  const own = [...headers].filter(([name]) => !/^(?:x-request-id|x-ratelimit-|x-amz|date$)/.test(name))
  return JSON.stringify([status, own, text])
}

function membersOf(answer: Answer): string[] {
  return Object.keys(Object(at(answer, 'data'))).sort()
}

export const UNCHANGED: Section = {
  part: 'additions',
  title: 'Clients that use none of them',
  checks: {
    'None changes an answer that a v1 client gets today: new endpoints, optional parameters, new members.':
      async suite => {
        const { id, slug } = await createLivePost(suite)
        const path = `/admin/posts/${id}`
        const answers = async () => {
          const both = [await suite.admin('GET', path), await suite.reader('GET', `/posts/${slug}`)]
          return both.map(bytesOf).join('\n')
        }
        const before = await answers()
        succeeds(await suite.admin('POST', `${path}/preview`, {}), 201)
        succeeds(await suite.admin('DELETE', `${path}/preview`), 200)
        const operations = [{ method: 'PATCH', path, body: { title: '' } }]
        succeeds(await suite.admin('POST', '/admin/batch', { operations }), 200)
        hold((await answers()) === before, 'A preview or a batch that did nothing changed an answer.')
      },
    '0: each event is a delivery, as today.': async suite => {
      const { id, answer } = await subscribe(suite, ['user.banned'])
      const changed = succeeds(await suite.admin('PATCH', `/admin/webhooks/${id}`, { is_active: true }), 200)
      const given = [membersOf(answer).filter(name => name !== 'secret'), membersOf(changed)]
      for (const names of given) {
        hold(`${names}` === `${MEMBERS.toSorted()}`, `A subscription has the members ${names}.`)
      }
    },
  },
}
