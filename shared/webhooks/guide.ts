// The guide to webhook subscriptions: texts and examples of the endpoints, and texts of the members.
import { describes } from '../http/descriptions.ts'
import { guideOf, type SliceGuide } from '../http/guide.ts'
import { adminWebhooks, RotationInput, WebhookChange, WebhookInput } from './contract.ts'
import { DELIVERY, DELIVERY_DETAIL, DELIVERY_MEMBERS, DELIVERY_PARAMETERS, QUEUED } from './delivery-guide.ts'
import { RecentDeliveries, SecretRotation, Webhook, WebhookStatus } from './fields.ts'
import { WINDOW } from './replay.ts'

const WRITTEN = { name: 'My site', url: 'https://www.example.com/hooks', events: ['*' as const] }
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='
const WEBHOOK = { id: 1, ...WRITTEN, is_active: true, total_deliveries: 12, failed_deliveries: 1 }

const WRITTEN_TEXTS = {
  name: ['A name of your choice: one line of 1 to 255 characters.', 'My site'],
  url: [
    `Where events are sent: an absolute http or https URL of at most 2,048 characters without user info. It must lead to a
      public address: private and local ones are a 422 if the URL names them, and a failed delivery if its host resolves to
      them. A service that runs locally also delivers to its own machine, unless it was started with \`--strict-addresses\`. The
      URL is stored as URL parsers write it: \`https://A.example\` as \`https://a.example/\`.`,
    'https://www.example.com/hooks',
  ],
  events: ['1 to 20 names of events, or `*` for all events, those of the future included.', ['*']],
} as const

const SHOWN_TEXTS = {
  id: 'Numeric id.',
  name: 'Name of the subscription.',
  url: 'Where events are sent.',
  events: 'Names of the events that it gets; `*` stands for all.',
  is_active: 'False while it is paused. What happens during a pause is never delivered.',
  total_deliveries: 'Deliveries that ended, successful and failed, tests included.',
  failed_deliveries: `Deliveries that ended with an answer other than 2xx, or without one within 5 seconds. They are sent again only on request.`,
} as const

const DETAIL_TEXTS = {
  ...SHOWN_TEXTS,
  secret_rotation:
    'The overlap of a rotation of the secret, in which the old and the new secret sign. Otherwise null.',
} as const

function bodyOf<Body>({ body }: { body: Body | null }): Body {
  if (body === null) throw new Error('The endpoint takes no body.')
  return body
}

export const WEBHOOK_GUIDE: SliceGuide = {
  tags: {
    'admin: webhooks': "The caller's webhook subscriptions. Needs the ability `admin`.",
  },
  endpoints: guideOf(
    adminWebhooks,
    {
      listWebhooks: { description: 'The list is whole, by id.', data: [WEBHOOK] },
      createWebhook: {
        description: `The answer contains the secret that signs its deliveries; no other answer does. A user has at most 100
          subscriptions, then it is a 422. They get nothing while the user is banned or has no valid token with the ability \`admin\`;
          what happens during that time is never delivered.`,
        body: WRITTEN,
        data: {
          ...WEBHOOK,
          total_deliveries: 0,
          failed_deliveries: 0,
          secret: SECRET,
        },
      },
      getWebhook: {
        description: 'Without its secret, and with the state of its receiver.',
        params: { id: 1 },
        data: {
          ...WEBHOOK,
          secret_rotation: null,
          last_success_at: '2026-05-26T15:00:01+00:00',
          last_failure_at: null,
          recent: { succeeded: 12, failed: 0 },
        },
      },
      rotateSecret: {
        description: `The answer contains the new secret; no other answer does. Send an \`Idempotency-Key\`, with which a lost answer can
          be had again. During the overlap \`webhook-signature\` has two signatures, by the new secret first and by the old one, of
          which a receiver needs one; \`Signature\` is keyed with the old secret, and at \`ends_at\` changes to the new one. So give the
          receiver the new secret during the overlap; one that verifies \`Signature\` has to try both secrets. The overlap is by
          \`webhook-timestamp\`. The answer comes when no request is on its way that the old secret alone has signed: usually after a second, after
          seven at most. After the overlap the old secret is erased. A rotation during an overlap is a 409, unless its
          \`overlap_hours\` is 0: it ends the overlap and replaces both secrets immediately.`,
        params: { id: 1 },
        body: { overlap_hours: 24 },
        data: { ...WEBHOOK, secret_rotation: { ends_at: '2026-05-27T15:00:00+00:00' }, secret: SECRET },
      },
      changeWebhook: {
        description: 'Members that are left out keep their values.',
        params: { id: 1 },
        body: { is_active: false },
        data: { ...WEBHOOK, is_active: false },
      },
      deleteWebhook: {
        description: 'Deliveries that have not left yet are not sent any more.',
        params: { id: 1 },
      },
      testWebhook: {
        description: `Sends a \`test.ping\`, also to a paused subscription, and waits for the answer. A failed delivery is a 502 with the
          reason in \`message\`. Tests count in the totals of the subscription.`,
        params: { id: 1 },
        data: { delivered: true, response_status: 204, duration_ms: 37 },
      },
      listDeliveries: {
        description: `Each attempt to deliver is an item, newest first: by the moment of its event, or by the moment when it was asked
          to be sent again. They are kept for 30 days. With \`status\` or \`event\` an answer may have fewer items than \`limit\`, even none,
          and still a \`cursor.next\`: at most 1,000 deliveries are read for one answer.`,
        params: { id: 1 },
        data: [DELIVERY],
      },
      getDelivery: {
        description: `With what was sent and what the receiver answered. A receiver finds it by its \`webhook-id\` and
          \`webhook-attempt\` headers.`,
        params: { id: 1, delivery_id: DELIVERY.id },
        data: DELIVERY_DETAIL,
      },
      redeliver: {
        description: `Queues one more attempt with the same body, byte for byte, and the same \`webhook-id\`; timestamp and signatures are
          new, and \`webhook-attempt\` has its number. It is sent at most once, to the present URL, and counts in the totals. While the
          delivery is on its way, it is a 409; while the subscription is paused, a 422; without the event in the log, a 404.`,
        params: { id: 1, delivery_id: DELIVERY.id },
        data: QUEUED,
      },
      redeliverAll: {
        description: `Sends every delivery once more whose event happened in this time and whose latest attempt failed: oldest first, at
          most ${WINDOW} at a time and ${WINDOW} a second together with all others of the service, in the background. \`matched\` counts them. A pause of the subscription ends it. A second one while the first
          runs is a 409; one over more than 10,000 deliveries is a 422.`,
        params: { id: 1 },
        body: { since: '2026-05-26T15:00:00Z' },
        data: { id: 'replay_0199a1b2c3d40123456789abcdef01234567', matched: 12 },
      },
    },
    { id: 'Id of the subscription.', ...DELIVERY_PARAMETERS },
  ),
  members: [
    describes(Webhook, SHOWN_TEXTS),
    describes(WebhookStatus, {
      ...DETAIL_TEXTS,
      last_success_at: 'When the last delivery succeeded, in UTC; null if none has.',
      last_failure_at: 'When the last delivery failed, in UTC; null if none has.',
      recent: 'How the last 20 attempts ended.',
    }),
    describes(RecentDeliveries, {
      succeeded: 'How many of them succeeded.',
      failed: 'How many of them failed. If all 20 did, the owner gets a mail, at most one a day.',
    }),
    ...DELIVERY_MEMBERS,
    describes(adminWebhooks.createWebhook.data, {
      ...SHOWN_TEXTS,
      secret: ['The key of the signatures. It is shown only in this answer: store it now.', SECRET],
    }),
    describes(SecretRotation, {
      ends_at: 'End of the overlap. From this second on only the new secret signs.',
    }),
    describes(RotationInput, {
      overlap_hours: [
        'For how many hours the old secret signs as well: 0 to 168. With 0, for a leaked secret, it stops immediately, also during an overlap.',
        24,
      ],
    }),
    describes(adminWebhooks.rotateSecret.data, {
      ...DETAIL_TEXTS,
      secret: ['The new key of the signatures. It is shown only in this answer: store it now.', SECRET],
    }),
    describes(WebhookInput, WRITTEN_TEXTS),
    describes(WebhookChange, {
      ...WRITTEN_TEXTS,
      is_active: 'False pauses the subscription, true resumes it from then on.',
      secret: 'Cannot be set, so it is a 422. `POST /admin/webhooks/{id}/rotate-secret` returns a new one.',
    }),
    describes(bodyOf(adminWebhooks.redeliverAll), {
      since: ['From this time on, about the moments of the events.', '2026-05-26T15:00:00Z'],
      until: ['Up to this time, the second included; until now by default.', '2026-05-26T16:00:00Z'],
      status: [
        '`failed` by default: only deliveries whose latest attempt failed. `all`: all that ended.',
        'all',
      ],
      events: ['Only these events; by default all.', ['post.published']],
    }),
    describes(adminWebhooks.redeliverAll.data, {
      id: 'Id of the replay.',
      matched: 'How many deliveries are sent again.',
    }),
    describes(adminWebhooks.testWebhook.data, {
      delivered: 'Always true: a failed delivery is a 502.',
      response_status: 'HTTP status that the receiver answered with.',
      duration_ms: 'Milliseconds from the connection to the answer.',
    }),
  ],
}
