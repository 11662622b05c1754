// "Response envelope".
import { type Answer, absent, at, fails, hold, succeeds } from '../answer.ts'
import type { Section } from '../check.ts'
import { family, familyList, familyPost } from '../records.ts'
import type { Suite } from '../suite.ts'
import { flag, integer, text } from '../values.ts'

const PAGINATION = ['current_page', 'per_page', 'total', 'last_page', 'from', 'to']

/** Successes and failures of each audience. */
async function samples(suite: Suite): Promise<Answer[]> {
  return [
    await familyList(suite),
    await suite.reader('GET', '/categories'),
    await suite.reader('GET', '/posts/no-such-post-of-the-suite'),
    await suite.user('GET', '/me'),
    await suite.reader('GET', '/me'),
    await suite.admin('GET', '/admin/posts?per_page=1'),
    await suite.admin('POST', '/admin/posts', {}),
  ]
}

export async function jsonBodies(suite: Suite): Promise<void> {
  for (const { headers, json, request } of await samples(suite)) {
    const type = headers.get('Content-Type') ?? 'missing'
    hold(/^application\/json\b/.test(type), `${request}: Content-Type is ${type}.`)
    hold(json !== undefined, `${request}: the body is not JSON.`)
  }
}

function checkEnvelope(answer: Answer): void {
  const isSuccess = answer.status < 400
  hold(flag(answer, 'success') === isSuccess, `${answer.request} ${answer.status}: \`success\` is wrong.`)
  hold(text(answer, 'message').trim() !== '', `${answer.request}: the message is empty.`)
  const data = at(answer, 'data')
  if (isSuccess) {
    hold(typeof data === 'object' && data !== null, `${answer.request}: \`data\` is no object and no array.`)
  } else {
    text(answer, 'errors.code')
  }
}

/** Looks at all answers of the run until now. */
async function envelopes(suite: Suite): Promise<void> {
  await samples(suite)
  for (const answer of suite.answers) if (answer.json !== undefined) checkEnvelope(answer)
}

export const ENVELOPE: Section = {
  part: 'contract',
  title: 'Response envelope',
  checks: {
    'Every JSON response uses one envelope.': envelopes,
    'Bodies are JSON (`Content-Type: application/json`). Responses use the envelope. Clients should send `Accept: application/json`.':
      jsonBodies,
    '| `success` | boolean | `true` |': envelopes,
    '| `message` | string | human-readable |': envelopes,
    '| `data` | object or array | the resource(s) |': envelopes,
    '| `pagination` | object | only on paginated list endpoints |': async suite => {
      const { first } = await family(suite)
      integer(await familyList(suite), 'pagination.total')
      absent(await familyPost(suite), 'pagination')
      for (const path of ['/categories', `/posts/${first.slug}/related`, '/settings/public']) {
        absent(succeeds(await suite.reader('GET', path), 200), 'pagination')
      }
    },
    '| `success` | boolean | `false` |': envelopes,
    '| `errors.code` | string | stable machine-readable identifier; clients branch on it, not on `message` |':
      async suite => {
        for (const path of ['/posts/no-such-post', '/posts/another-one', '/categories/no-such-category']) {
          fails(await suite.reader('GET', path), 404, 'NOT_FOUND')
        }
      },
    '`pagination` object fields (all integers): `current_page`, `per_page`, `total`, `last_page`, `from`, `to`.':
      async suite => {
        const answer = await familyList(suite, '&per_page=4&page=2')
        const found = PAGINATION.map(name => integer(answer, `pagination.${name}`))
        const expected = [2, 4, 6, 2, 5, 6]
        const isRight = `${found}` === `${expected}`
        hold(isRight, `${answer.request}: ${PAGINATION} are ${found}, and not ${expected}.`)
      },
  },
}
