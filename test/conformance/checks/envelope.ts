// "Response envelope".
import { fails, succeeds } from '../answers.ts'
import type { Section } from '../check.ts'
import type { Answer } from '../client.ts'
import { family, familyList, familyPost } from '../records.ts'
import type { Suite } from '../suite.ts'
import { absent, at, equal, flag, hold, integer, text } from '../values.ts'

const PAGINATION = ['current_page', 'per_page', 'total', 'last_page', 'from', 'to']

/** One success and one failure of each audience. */
async function samples(suite: Suite): Promise<Answer[]> {
  return [
    await suite.reader('GET', '/categories'),
    await suite.reader('GET', '/posts/no-such-post-of-the-suite'),
    await suite.user('GET', '/me'),
    await suite.reader('GET', '/me'),
    await suite.admin('GET', '/admin/posts?per_page=1'),
    await suite.admin('POST', '/admin/posts', {}),
  ]
}

function checkEnvelope(answer: Answer): void {
  const isSuccess = answer.status < 400
  hold(flag(answer, 'success') === isSuccess, `${answer.request} ${answer.status}: \`success\` is wrong.`)
  text(answer, 'message')
  if (isSuccess) {
    hold(at(answer, 'data') !== undefined, `${answer.request}: there is no \`data\`.`)
  } else {
    text(answer, 'errors.code')
  }
}

export const ENVELOPE: Section = {
  part: 'contract',
  title: 'Response envelope',
  checks: [
    {
      name: 'every JSON answer is the envelope',
      proves: 'Every JSON response uses one envelope.',
      run: async suite => {
        await samples(suite)
        for (const answer of suite.answers) if (answer.json !== undefined) checkEnvelope(answer)
      },
    },
    {
      name: 'requests and answers have JSON bodies',
      proves:
        'Bodies are JSON (`Content-Type: application/json`). Responses use the envelope. Clients should send `Accept: application/json`.',
      run: async suite => {
        for (const { headers, request } of await samples(suite)) {
          const type = headers.get('Content-Type') ?? 'missing'
          hold(/^application\/json\b/.test(type), `${request}: Content-Type is ${type}.`)
        }
      },
    },
    {
      name: '`success` of a success is true',
      proves: '| `success` | boolean | `true` |',
      run: async suite => equal(await familyList(suite), 'success', true),
    },
    {
      name: '`message` of a success is a text',
      proves: '| `message` | string | human-readable |',
      run: async suite => {
        const message = text(await familyList(suite), 'message')
        hold(message.trim() !== '', 'The message is empty.')
      },
    },
    {
      name: '`data` is an object or an array',
      proves: '| `data` | object or array | the resource(s) |',
      run: async suite => {
        for (const answer of [await familyList(suite), await familyPost(suite)]) {
          const data = at(answer, 'data')
          hold(typeof data === 'object' && data !== null, `${answer.request}: \`data\` is neither.`)
        }
      },
    },
    {
      name: '`pagination` is only on paginated lists',
      proves: '| `pagination` | object | only on paginated list endpoints |',
      run: async suite => {
        const { first } = await family(suite)
        integer(await familyList(suite), 'pagination.total')
        absent(await familyPost(suite), 'pagination')
        for (const path of ['/categories', `/posts/${first.slug}/related`, '/settings/public']) {
          absent(succeeds(await suite.reader('GET', path), 200), 'pagination')
        }
      },
    },
    {
      name: '`success` of a failure is false',
      proves: '| `success` | boolean | `false` |',
      run: async suite => equal(await suite.reader('GET', '/me'), 'success', false),
    },
    {
      name: '`errors.code` names the failure, and not its message',
      proves:
        '| `errors.code` | string | stable machine-readable identifier; clients branch on it, not on `message` |',
      run: async suite => {
        for (const slug of ['no-such-post', 'another-one-that-is-missing']) {
          fails(await suite.reader('GET', `/posts/${slug}`), 404, 'NOT_FOUND')
        }
        fails(await suite.reader('GET', '/categories/no-such-category'), 404, 'NOT_FOUND')
      },
    },
    {
      name: 'all fields of `pagination` are integers',
      proves:
        '`pagination` object fields (all integers): `current_page`, `per_page`, `total`, `last_page`, `from`, `to`.',
      run: async suite => {
        const answer = await familyList(suite, '&per_page=4&page=2')
        for (const name of PAGINATION) integer(answer, `pagination.${name}`)
        const [page, perPage, total, lastPage, from, to] = [2, 4, 6, 2, 5, 6]
        const expected = { page, perPage, total, lastPage, from, to }
        const found = PAGINATION.map(name => integer(answer, `pagination.${name}`))
        hold(
          JSON.stringify(found) === JSON.stringify(Object.values(expected)),
          `${answer.request}: ${PAGINATION.join(', ')} are ${found}, and not ${Object.values(expected)}.`,
        )
      },
    },
  ],
}
