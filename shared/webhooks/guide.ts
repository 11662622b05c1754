// The guide to webhook subscriptions: texts and examples of the endpoints, and texts of the members.
import { describes } from '../http/descriptions.ts'
import { guideOf, type SliceGuide } from '../http/guide.ts'
import { adminWebhooks, Webhook, WebhookChange, WebhookInput } from './contract.ts'

const WRITTEN = { name: 'My site', url: 'https://www.example.com/hooks', events: ['*' as const] }
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
  failed_deliveries: `Deliveries that ended with an answer other than 2xx, or without one within 5 seconds. They are not repeated.`,
} as const

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
          secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
        },
      },
      getWebhook: { description: 'Without its secret.', params: { id: 1 }, data: WEBHOOK },
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
    },
    { id: 'Id of the subscription.' },
  ),
  members: [
    describes(Webhook, SHOWN_TEXTS),
    describes(adminWebhooks.createWebhook.data, {
      ...SHOWN_TEXTS,
      secret: [
        'The key of the signatures. It is shown only in this answer: store it now.',
        'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
      ],
    }),
    describes(WebhookInput, WRITTEN_TEXTS),
    describes(WebhookChange, {
      ...WRITTEN_TEXTS,
      is_active: 'False pauses the subscription, true resumes it from then on.',
      secret:
        'Cannot be changed, so it is a 422. Create a new subscription, which gets a new secret, and delete this one.',
    }),
    describes(adminWebhooks.testWebhook.data, {
      delivered: 'Always true: a failed delivery is a 502.',
      response_status: 'HTTP status that the receiver answered with.',
      duration_ms: 'Milliseconds from the connection to the answer.',
    }),
  ],
}
