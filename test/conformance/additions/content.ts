// What the service adds to every endpoint, and for content: headers, endpoints, parameters.
import type { Section } from '../check.ts'
import { createPost, family, familyList, inMs } from '../records.ts'
import { each, equal, fails, hold, integer, list, succeeds, text } from '../values.ts'

export const CONTENT: Section = {
  part: 'additions',
  title: 'Content',
  checks: {
    '`GET /posts`, `GET /categories/{slug}/posts` and `GET /pages` take `include=body`: items then carry `body`, `seo_title`, `meta_desc`, so that a static build of N posts needs N/100 calls.':
      async suite => {
        const { word } = await family(suite)
        const answer = await familyList(suite, '&include=body&per_page=100')
        const bodies = each(answer, 'data', 'body', text)
        hold(
          bodies.every(body => body.includes(word)),
          'A body is not whole.',
        )
        for (const name of ['seo_title', 'meta_desc']) each(answer, 'data', name, text)
      },
    '`/posts…` serves `post` only, `/pages…` `page` only.': async suite => {
      const page = { content_type: 'page', is_published: true, posted_at: inMs(-60_000) }
      const { slug, id } = await createPost(suite, page)
      equal(succeeds(await suite.reader('GET', `/pages/${slug}`), 200), 'data.id', id)
      fails(await suite.reader('GET', `/posts/${slug}`), 404, 'NOT_FOUND')
      const { first } = await family(suite)
      fails(await suite.reader('GET', `/pages/${first.slug}`), 404, 'NOT_FOUND')
      const pages = succeeds(await suite.reader('GET', '/pages?per_page=100'), 200)
      hold(list(pages, 'data').length > 0, `${pages.request} is empty.`)
    },
    'The four keys read back as given; `{}` when unset.': async suite => {
      const featured_image = {
        thumbnail: 'https://images.example/1.jpg',
        large: 'https://images.example/2.jpg',
      }
      const body = { title: suite.unique('post'), featured_image }
      const answer = succeeds(await suite.admin('POST', '/admin/posts', body), 201)
      equal(answer, 'data.featured_image', featured_image)
    },
    'filters `drafts_only=true` (`is_published` false; scheduled not included; `false` filters nothing), `content_type` (without it both kinds), `slug` (exact).':
      async suite => {
        const { draft, scheduled } = await family(suite)
        const answer = succeeds(await suite.admin('GET', `/admin/posts?slug=${draft.slug}`), 200)
        hold(
          `${each(answer, 'data', 'id', integer)}` === `${draft.id}`,
          `${answer.request} finds other posts.`,
        )
        const drafts = succeeds(await suite.admin('GET', '/admin/posts?drafts_only=true&per_page=100'), 200)
        const ids = each(drafts, 'data', 'id', integer)
        hold(!ids.includes(scheduled.id), `${drafts.request} lists a scheduled post.`)
      },
    '| POST | `/contact` | `name` 1 to 255, `email`, `subject?`, `message` 1 to 10,000 |': async suite => {
      const body = { name: suite.unique('visitor'), email: 'visitor@example.com', message: 'Hello.' }
      const answer = succeeds(await suite.reader('POST', '/contact', body), 201)
      const all = succeeds(await suite.admin('GET', '/admin/contact'), 200)
      hold(
        each(all, 'data', 'id', integer).includes(integer(answer, 'data.id')),
        'The message is not listed.',
      )
    },
  },
}

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
