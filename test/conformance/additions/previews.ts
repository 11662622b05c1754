// Previews of drafts and batches of writes, and that clients which use neither notice nothing of them.
import type { Section } from '../check.ts'
import { createPost, family, inMs } from '../records.ts'
import type { Suite } from '../suite.ts'
import { type Answer, at, equal, fails, hold, succeeds, text } from '../values.ts'

const FORGED = 'A'.repeat(64)

async function tokenOf(suite: Suite, id: number): Promise<string> {
  return text(succeeds(await suite.admin('POST', `/admin/posts/${id}/preview`, {}), 201), 'data.token')
}

function read(suite: Suite, path: string, token?: string): Promise<Answer> {
  return suite.reader(
    'GET',
    path,
    undefined,
    token === undefined ? {} : { headers: { 'Preview-Token': token } },
  )
}

/** Status, headers and bytes, but for what no two answers share, also of the gateway's own. */
function bytesOf({ status, headers, text: body }: Answer): string {
  const own = [...headers].filter(([name]) => !/^(?:x-request-id|x-ratelimit-|x-amz|date$)/.test(name))
  return JSON.stringify([status, own, body])
}

export const PREVIEWS: Section = {
  part: 'additions',
  title: 'Previews and batches',
  checks: {
    'with the header `Preview-Token`: the single post or page as it is now, whatever its state, with `status`; no other token, no cookie':
      async suite => {
        const { id, slug } = await createPost(suite)
        const answer = succeeds(await read(suite, '/preview', await tokenOf(suite, id)), 200)
        equal(answer, 'data.id', id)
        equal(answer, 'data.status', 'draft')
        for (const path of [`/posts/${slug}`, '/preview']) fails(await read(suite, path), 404, 'NOT_FOUND')
      },
    'Answers to a preview: `Cache-Control: no-store`, `X-Robots-Tag: noindex`.': async suite => {
      const { id, slug } = await createPost(suite)
      const token = await tokenOf(suite, id)
      for (const path of [`/posts/${slug}`, '/preview']) {
        const { headers, request } = succeeds(await read(suite, path, token), 200)
        const told = [headers.get('Cache-Control'), headers.get('X-Robots-Tag')].join(', ')
        hold(told === 'no-store, noindex', `${request} with a token says ${told}.`)
      }
    },
    'Forged, expired, void, of another record, of a deleted one: the answer is that of no token, in the same calls.':
      async suite => {
        const { first, draft } = await family(suite)
        const { id } = await createPost(suite)
        const token = await tokenOf(suite, draft.id)
        succeeds(await suite.admin('DELETE', `/admin/posts/${draft.id}/preview`), 200)
        const tokens = [FORGED, token, await tokenOf(suite, id), 'x']
        for (const path of [`/posts/${draft.slug}`, `/posts/${first.slug}`]) {
          const plain = bytesOf(await read(suite, path))
          for (const each of tokens) {
            const answer = await read(suite, path, each)
            hold(bytesOf(answer) === plain, `${answer.request} with a token that is not valid differs.`)
          }
        }
      },
    'None changes an answer that a v1 client gets today: new endpoints, optional parameters, new members.':
      async suite => {
        const { id, slug } = await createPost(suite, { is_published: true, posted_at: inMs(-60_000) })
        const answers = async () => {
          const own = await suite.admin('GET', `/admin/posts/${id}`)
          return [own, await read(suite, `/posts/${slug}`)].map(bytesOf).join('\n')
        }
        const before = await answers()
        await tokenOf(suite, id)
        succeeds(await suite.admin('DELETE', `/admin/posts/${id}/preview`), 200)
        const path = `/admin/posts/${id}`
        const operations = [{ method: 'PATCH', path, body: { title: '' } }]
        succeeds(await suite.admin('POST', '/admin/batch', { operations }), 200)
        hold((await answers()) === before, 'A preview or a batch that did nothing changed an answer.')
      },
    'Each is its own transaction, by the same handlers, in order; one that fails stops none.':
      async suite => {
        const { id } = await createPost(suite)
        const path = `/admin/posts/${id}`
        const slug = suite.unique('batch').toLowerCase().replaceAll(' ', '-')
        const operations = [
          { method: 'PATCH', path, body: { slug } },
          { method: 'PATCH', path, body: { title: '' } },
          { method: 'PATCH', path, body: { title: suite.unique('batched') }, if_match: '*' },
        ]
        const answer = succeeds(await suite.admin('POST', '/admin/batch', { operations }), 200)
        for (const [n, status] of [200, 422, 200].entries()) equal(answer, `data.${n}.status`, status)
        const own = succeeds(await suite.admin('GET', path), 200)
        equal(answer, 'data.2.body.data', at(own, 'data'))
        equal(answer, 'data.2.headers.etag', own.headers.get('ETag'))
        const refused = await suite.admin('PATCH', path, { title: '' })
        equal(answer, 'data.1.body', refused.json)
      },
    'With an `Idempotency-Key` each operation is idempotent by key and position: the same batch again does what was not done.':
      async suite => {
        const { id } = await createPost(suite)
        const path = `/admin/posts/${id}`
        const more = { headers: { 'Idempotency-Key': suite.unique('batch') } }
        const one = { method: 'PATCH', path, body: { body: '<p>1</p>' } }
        const two = { method: 'PATCH', path, body: { body: '<p>2</p>' } }
        succeeds(await suite.admin('POST', '/admin/batch', { operations: [one] }, more), 200)
        const again = await suite.admin('POST', '/admin/batch', { operations: [one, two] }, more)
        succeeds(again, 200)
        equal(again, 'data.0.body.data.version', 2)
        equal(again, 'data.1.body.data.version', 3)
        equal(again, 'data.0.headers.idempotent-replayed', 'true')
      },
  },
}
