// Abilities and comments, of which the contract shows no endpoint.
import { absent, equal, fails, hold, notRun, succeeds } from '../answer.ts'
import type { Section } from '../check.ts'
import { family, newToken } from '../records.ts'
import type { Suite } from '../suite.ts'
import { each, integer, momentMs, text } from '../values.ts'

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
  title: 'Abilities, comments',
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
  },
}
