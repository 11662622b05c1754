// Guides to the endpoints of webhook subscriptions, with an example of each.
import { type Guide, guideOf } from '../http/guide.ts'
import { adminWebhooks } from './contract.ts'

const WRITTEN = { name: 'My site', url: 'https://www.example.com/hooks', events: ['*' as const] }
const WEBHOOK = { id: 1, ...WRITTEN, is_active: true, total_deliveries: 12, failed_deliveries: 1 }

export const WEBHOOK_GUIDES: Guide[] = guideOf(adminWebhooks, {
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
})
