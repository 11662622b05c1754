// Comments, tickets, newsletter and users, of which the contract shows no endpoint.
import type { Section } from '../check.ts'
import { family, newToken } from '../records.ts'
import type { Suite } from '../suite.ts'
import {
  absent,
  each,
  equal,
  fails,
  flag,
  hold,
  integer,
  isInvalid,
  list,
  members,
  momentMs,
  notRun,
  succeeds,
  text,
} from '../values.ts'

/** The endpoints that a token with one ability may read. */
const OPENED: Record<string, string> = {
  'comments:write': '/me/comments',
  'tickets:write': '/me/tickets',
  'newsletter:manage': '/me/newsletter',
}

/** A comment of the user on the family's first post. Deleted at the end. */
function comment(suite: Suite) {
  return suite.once('comment', async () => {
    const { first } = await family(suite)
    const call = suite.as(await newToken(suite, ['comments:write']))
    const answer = await call('POST', '/me/comments', { post_id: first.id, body: suite.unique('comment') })
    if (answer.status === 403) notRun('Comments are disabled in the settings of the service.')
    return { answer: succeeds(answer, 201), id: integer(answer, 'data.id'), post: first }
  })
}

export const COMMUNITY: Section = {
  part: 'completions',
  title: 'Comments, tickets, newsletter, users',
  checks: {
    'Abilities do not imply each other. `/me`, `/me/verify-email` and `/me/tokens*` need `user`; `/me/comments` `comments:write`; `/me/tickets*` `tickets:write`; `/me/newsletter` `newsletter:manage`; reads need the same ability as writes.':
      async suite => {
        for (const [ability, path] of Object.entries(OPENED)) {
          const call = suite.as(await newToken(suite, [ability]))
          succeeds(await call('GET', path), 200)
          for (const other of Object.values(OPENED).filter(candidate => candidate !== path)) {
            fails(await call('GET', other), 403, 'FORBIDDEN')
          }
        }
      },
    'Comment: `id`, `post_id`, `parent_id`, `author` {`name`, `avatar`}, `body`, `status` (`pending`, `approved`, `rejected`), `created_at`; admins also see `user_id`, `author_email`, `post_slug`.':
      async suite => {
        const { answer, post } = await comment(suite)
        equal(answer, 'data.post_id', post.id)
        equal(answer, 'data.parent_id', null)
        text(answer, 'data.author.name')
        momentMs(answer, 'data.created_at')
        const status = text(answer, 'data.status')
        hold(['pending', 'approved'].includes(status), `A new comment is ${status}.`)
        absent(answer, 'data.author_email')
      },
    '| GET | `/posts/{slug}/comments` | approved only, oldest first, flat with `parent_id` |':
      async suite => {
        const { id, post } = await comment(suite)
        const shownIds = async () => {
          const path = `/posts/${encodeURIComponent(post.slug)}/comments?per_page=100`
          return each(succeeds(await suite.reader('GET', path), 200), 'data', 'id', integer)
        }
        succeeds(await suite.admin('POST', `/admin/comments/${id}/approve`), 200)
        hold((await shownIds()).includes(id), 'Readers do not see an approved comment.')
        succeeds(await suite.admin('POST', `/admin/comments/${id}/reject`), 200)
        hold(!(await shownIds()).includes(id), 'Readers see a rejected comment.')
      },
    // No endpoint deletes a ticket, so none is created.
    '| GET, POST | `/me/tickets` | `subject` 1 to 255, `description` 1 to 10,000, `priority` `low` `medium` (default) `high` `urgent`; lists without `replies` |':
      async suite => {
        const call = suite.as(await newToken(suite, ['tickets:write']))
        const right = { subject: 'S', description: 'D' }
        const wrong = [
          { description: 'D' },
          { subject: 'S' },
          { ...right, subject: 'S'.repeat(256) },
          { ...right, priority: 'no-such-priority' },
        ]
        for (const body of wrong) isInvalid(await call('POST', '/me/tickets', body))
        list(succeeds(await call('GET', '/me/tickets'), 200), 'data')
      },
    'A wrong, used or expired token is 422 on `token`.': async suite => {
      for (const act of ['confirm', 'unsubscribe']) {
        const answer = isInvalid(await suite.reader('POST', `/newsletter/${act}`, { token: 'wrong' }))
        list(answer, 'errors.fields.token')
      }
    },
    '| GET | `/admin/users` | `q` (prefix of e-mail or name, without regard to case); `GET …/{id}`; `POST …/{id}/ban` {`reason?`, `until?` in the future}; `POST …/{id}/unban`; both answer with the user |':
      async suite => {
        const me = succeeds(await suite.user('GET', '/me'), 200)
        const id = integer(me, 'data.id')
        const q = encodeURIComponent(text(me, 'data.email').slice(0, -2).toUpperCase())
        const users = succeeds(await suite.admin('GET', `/admin/users?q=${q}`), 200)
        hold(each(users, 'data', 'id', integer).includes(id), `${users.request} does not find the user.`)
        const user = succeeds(await suite.admin('GET', `/admin/users/${id}`), 200)
        members(user, 'data')
        flag(user, 'data.is_banned')
      },
  },
}
