// That clients which use none of the additions notice nothing of them.
import type { Section } from '../check.ts'
import { createPost, inMs, subscribe } from '../records.ts'
import { type Answer, at, hold, succeeds } from '../values.ts'

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
        const { id, slug } = await createPost(suite, { is_published: true, posted_at: inMs(-60_000) })
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
