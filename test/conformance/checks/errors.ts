// "Errors".
import { fails, isInvalid } from '../answer.ts'
import type { Section } from '../check.ts'
import { family, inMs } from '../records.ts'
import { adminEndpoints, withoutValidToken } from './authentication.ts'
import { visibility } from './post-states.ts'
import { pings } from './webhooks.ts'

export const ERRORS: Section = {
  part: 'contract',
  title: 'Errors',
  checks: {
    '| `NOT_FOUND` | 404 | resource missing; on public post endpoints also unpublished or future-scheduled posts |':
      visibility,
    '| `UNAUTHENTICATED` | 401 | no valid bearer token (missing header or revoked token) |':
      withoutValidToken,
    '| `INVALID_CREDENTIALS` | 401 | login failed |': async suite => {
      const [, id] = suite.mark.split(' ')
      const body = { email: `nobody-${id}@example.com`, password: 'not the password', device_name: 'suite' }
      fails(await suite.reader('POST', '/auth/login', body), 401, 'INVALID_CREDENTIALS')
    },
    '| `FORBIDDEN` | 403 | token lacks the required ability |': adminEndpoints,
    '| `VALIDATION_ERROR` | 422 | body failed validation (missing title, invalid date, duplicate slug, ...) |':
      async suite => {
        const { first } = await family(suite)
        const title = suite.unique('post')
        isInvalid(await suite.admin('POST', '/admin/posts', { posted_at: inMs(0) }))
        isInvalid(await suite.admin('POST', '/admin/posts', { title, posted_at: 'not a date' }))
        isInvalid(await suite.admin('POST', '/admin/posts', { title, slug: first.slug }))
      },
    '| `DELIVERY_FAILED` | 502 | webhook test ping failed |': pings,
  },
  notShown: [
    'The `errors.code` for 429 and the field-level layout of validation errors: not shown.',
    '| `ACCOUNT_BANNED` | 403 | user is banned |',
    // The suite changes no setting.
    '| `REGISTRATION_DISABLED` | 403 | signups disabled by the admin |',
    '| `MAINTENANCE_MODE` | 503 | site is in maintenance mode |',
  ],
}
