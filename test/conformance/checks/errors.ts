// "Errors".
import { fails, isInvalid, succeeds } from '../answers.ts'
import type { Section } from '../check.ts'
import { family, inMs } from '../records.ts'
import { newToken } from '../sessions.ts'
import { failedPing } from './admin-webhooks.ts'

export const ERRORS: Section = {
  part: 'contract',
  title: 'Errors',
  checks: [
    {
      name: 'NOT_FOUND is 404, also for posts that are not public',
      proves:
        '| `NOT_FOUND` | 404 | resource missing; on public post endpoints also unpublished or future-scheduled posts |',
      run: async suite => {
        const { draft, scheduled } = await family(suite)
        for (const path of [draft.slug, scheduled.slug, 'no-such-post'].map(slug => `/posts/${slug}`)) {
          fails(await suite.reader('GET', path), 404, 'NOT_FOUND')
        }
        fails(await suite.reader('GET', '/categories/no-such-category'), 404, 'NOT_FOUND')
        fails(await suite.admin('GET', '/admin/categories/999999999'), 404, 'NOT_FOUND')
      },
    },
    {
      name: 'UNAUTHENTICATED is 401 without a valid token',
      proves: '| `UNAUTHENTICATED` | 401 | no valid bearer token (missing header or revoked token) |',
      run: async suite => {
        fails(await suite.reader('GET', '/me'), 401, 'UNAUTHENTICATED')
        fails(await suite.as('no-token-of-this-service')('GET', '/me'), 401, 'UNAUTHENTICATED')
        const revoked = await newToken(suite, ['user'])
        succeeds(await suite.as(revoked)('POST', '/auth/logout'))
        fails(await suite.as(revoked)('GET', '/me'), 401, 'UNAUTHENTICATED')
      },
    },
    {
      name: 'INVALID_CREDENTIALS is 401',
      proves: '| `INVALID_CREDENTIALS` | 401 | login failed |',
      run: async suite => {
        const [, id] = suite.mark.split(' ')
        const body = { email: `nobody-${id}@example.com`, password: 'not the password', device_name: 'suite' }
        fails(await suite.reader('POST', '/auth/login', body), 401, 'INVALID_CREDENTIALS')
      },
    },
    {
      name: 'FORBIDDEN is 403 without the ability',
      proves: '| `FORBIDDEN` | 403 | token lacks the required ability |',
      run: async suite => {
        fails(await suite.user('GET', '/admin/posts'), 403, 'FORBIDDEN')
        fails(await suite.user('DELETE', '/admin/posts/999999999'), 403, 'FORBIDDEN')
      },
    },
    {
      name: 'VALIDATION_ERROR is 422 for a missing title, an invalid date and a duplicate slug',
      proves:
        '| `VALIDATION_ERROR` | 422 | body failed validation (missing title, invalid date, duplicate slug, ...) |',
      run: async suite => {
        const { first } = await family(suite)
        const title = suite.unique('post')
        isInvalid(await suite.admin('POST', '/admin/posts', { posted_at: inMs(0) }))
        isInvalid(await suite.admin('POST', '/admin/posts', { title, posted_at: 'not a date' }))
        isInvalid(await suite.admin('POST', '/admin/posts', { title, slug: first.slug }))
      },
    },
    {
      name: 'DELIVERY_FAILED is 502',
      proves: '| `DELIVERY_FAILED` | 502 | webhook test ping failed |',
      run: async suite => {
        fails((await failedPing(suite)).ping, 502, 'DELIVERY_FAILED')
      },
    },
  ],
  notShown: ['The `errors.code` for 429 and the field-level layout of validation errors: not shown.'],
  unprovable: [
    {
      sentence: '| `ACCOUNT_BANNED` | 403 | user is banned |',
      because: 'The contract shows no endpoint that bans a user.',
    },
    {
      sentence: '| `REGISTRATION_DISABLED` | 403 | signups disabled by the admin |',
      because: 'The suite changes no setting of the service.',
    },
    {
      sentence: '| `MAINTENANCE_MODE` | 503 | site is in maintenance mode |',
      because: 'The suite changes no setting of the service.',
    },
  ],
}
