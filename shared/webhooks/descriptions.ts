// Descriptions of the members of webhook subscriptions, and of the parameters of their endpoints.
import { type Description, describes } from '../http/descriptions.ts'
import { adminWebhooks, Webhook, WebhookChange, WebhookInput } from './contract.ts'

const WRITTEN = {
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

const SHOWN = {
  id: 'Numeric id.',
  name: 'Name of the subscription.',
  url: 'Where events are sent.',
  events: 'Names of the events that it gets; `*` stands for all.',
  is_active: 'False while it is paused. What happens during a pause is never delivered.',
  total_deliveries: 'Deliveries that ended, successful and failed, tests included.',
  failed_deliveries: `Deliveries that ended with an answer other than 2xx, or without one within 5 seconds. They are not repeated.`,
} as const

export const WEBHOOK_DESCRIPTIONS: Description[] = [
  describes(Webhook, SHOWN),
  describes(adminWebhooks.createWebhook.data, {
    ...SHOWN,
    secret: [
      'The key of the signatures. It is shown only in this answer: store it now.',
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
    ],
  }),
  describes(WebhookInput, WRITTEN),
  describes(WebhookChange, {
    ...WRITTEN,
    is_active: 'False pauses the subscription, true resumes it from then on.',
    secret:
      'Cannot be changed, so it is a 422. Create a new subscription, which gets a new secret, and delete this one.',
  }),
  describes(adminWebhooks.testWebhook.data, {
    delivered: 'Always true: a failed delivery is a 502.',
    response_status: 'HTTP status that the subscriber answered with.',
    duration_ms: 'Milliseconds from the connection to the answer.',
  }),
  describes(adminWebhooks.getWebhook.params, { id: 'Id of the subscription.' }),
]
