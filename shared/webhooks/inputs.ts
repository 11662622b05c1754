// What admins send about webhook subscriptions: a new one, a change, a rotation of its secret, a replay.
import * as z from 'zod/mini'
import { DELIVERED_NAMES } from '../events/catalogue.ts'
import { arrayOf, members, optional, unique } from '../http/members.ts'
import { cleanUrl, requiredLine } from '../http/text.ts'
import { TimeInput } from '../http/time.ts'
import {
  AnyJson,
  DEFAULT_MAX_WAIT_SECONDS,
  EventChoice,
  MAX_QUIET_SECONDS,
  MAX_WAIT_SECONDS,
  Text,
} from './fields.ts'
import { faultOfBody, faultOfHeaders } from './own-request.ts'

/** The form alone. Whether deliveries may go to the address depends on the deployment (`checkUrl`). */
const Url = cleanUrl(2048)

const MAX_EVENTS = 20

const Events = arrayOf(EventChoice, {
  not: 'Must be an array of event names.',
  empty: 'Must name at least one event.',
}).check(
  unique(),
  z.refine(events => events.length <= MAX_EVENTS, `Must be at most ${MAX_EVENTS} events.`),
  z.meta({ maxItems: MAX_EVENTS }),
)

function wholeNumberTo(most: number) {
  const message = `Must be a whole number from 0 to ${most}.`
  return z.int(message).check(z.minimum(0, message), z.maximum(most, message))
}

/** Checked by a rule that names the fault. */
function checked<Schema extends z.ZodMiniType>(
  schema: Schema,
  faultOf: (value: z.output<Schema>) => string | undefined,
) {
  return schema.check(({ value, issues }) => {
    const message = faultOf(value)
    if (message !== undefined) issues.push({ code: 'custom', input: value, message })
  })
}

const NOT_HEADERS = 'Must be an object of texts.'

const WRITTEN = {
  name: [requiredLine(255), 'A name of your choice: one line of 1 to 255 characters.', 'My site'],
  url: [
    Url,
    `Where events are sent: an absolute http or https URL of at most 2,048 characters without user info. It must lead to a
      public address: private and local ones are a 422 if the URL names them, and a failed delivery if its host resolves to
      them. A service that runs locally also delivers to its own machine, unless it was started with \`--strict-addresses\`. The
      URL is stored as URL parsers write it: \`https://A.example\` as \`https://a.example/\`.`,
    'https://www.example.com/hooks',
  ],
  events: [Events, '1 to 20 names of events, or `*` for all events, those of the future included.', ['*']],
  quiet_seconds: [
    z.optional(wholeNumberTo(MAX_QUIET_SECONDS)),
    `0, the default: each event is a delivery. Otherwise, up to ${MAX_QUIET_SECONDS}: events are collected until none came
      for so many seconds, and are sent as one event \`batch\`. Fifty edits are one build.`,
    30,
  ],
  max_wait_seconds: [
    z.optional(wholeNumberTo(MAX_WAIT_SECONDS)),
    `A batch is sent at the latest so many seconds after its first event: \`quiet_seconds\` to ${MAX_WAIT_SECONDS}, by
      default ${DEFAULT_MAX_WAIT_SECONDS}. A change of both acts on the next batch.`,
    300,
  ],
  headers: [
    z.optional(checked(z.record(Text, z.string('Must be a string.'), NOT_HEADERS), faultOfHeaders)),
    `Headers that are sent with each delivery: at most 10, 4 kB in all. Their values are stored encrypted, and no answer
      shows them. The headers of the signature, of the content and of the connection cannot be set; \`User-Agent\` and
      \`Authorization\` can. The object replaces all that were set before.`,
    { Authorization: 'Bearer ghp_1234' },
  ],
  body: [
    z.optional(checked(AnyJson, faultOfBody)),
    `Any JSON of at most 8 kB that is sent in place of the envelope; null for the envelope. In it a text that is exactly
      \`{{event}}\`, \`{{occurred_at}}\`, \`{{id}}\`, \`{{count}}\` or \`{{cursor}}\` stands for that value: the id is
      \`data.id\`, and the cursor is for \`GET /api/v1/changes?since=\`. \`{{payload}}\`, once at most, stands for the
      whole envelope.`,
    { event_type: 'publish', client_payload: { cursor: '{{cursor}}' } },
  ],
} as const
export const WebhookInput = members(WRITTEN)
export type WebhookInput = z.infer<typeof WebhookInput>

const SECRET_STAYS = 'Cannot be set. Get a new one: POST /api/v1/admin/webhooks/{id}/rotate-secret'

export const WebhookChange = members({
  ...optional(WRITTEN),
  is_active: [
    z.optional(z.boolean('Must be true or false.')),
    'False pauses the subscription, true resumes it from then on.',
  ],
  /** Declared to be refused: ignoring it would let a caller believe that the secret has changed. */
  secret: [
    z.optional(z.never(SECRET_STAYS)),
    'Cannot be set, so it is a 422. `POST /admin/webhooks/{id}/rotate-secret` returns a new one.',
  ],
})
export type WebhookChange = z.infer<typeof WebhookChange>

export const RotationInput = members({
  overlap_hours: [
    z._default(wholeNumberTo(168), 24),
    'For how many hours the old secret signs as well: 0 to 168. With 0, for a leaked secret, it stops immediately, also during an overlap.',
    24,
  ],
})
export type RotationInput = z.infer<typeof RotationInput>

/** What is sent again. A function, so that only the bundle with the endpoint builds it. */
export function replayInput() {
  const eventNames = arrayOf(z.enum(DELIVERED_NAMES, 'Must be an event name.'), {
    not: 'Must be an array of event names.',
    empty: 'Must name at least one event.',
  })
  return members({
    since: [TimeInput, 'From this time on, about the moments of the events.', '2026-05-26T15:00:00Z'],
    until: [
      z.optional(TimeInput),
      'Up to this time, the second included; until now by default.',
      '2026-05-26T16:00:00Z',
    ],
    status: [
      z._default(z.enum(['failed', 'all'], 'Must be "failed" or "all".'), 'failed'),
      '`failed` by default: only deliveries whose latest attempt failed. `all`: all that ended.',
      'all',
    ],
    events: [
      z.optional(eventNames.check(unique())),
      'Only these events; by default all.',
      ['post.published'],
    ],
  })
}
export type ReplayInput = z.output<ReturnType<typeof replayInput>>
