// The caller's webhook subscriptions, and a test of each.
import type { Actor } from '../shared/accounts/actor.ts'
import { noData, reply } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'
import { addressPolicy } from '../shared/webhooks/address.ts'
import { ping } from '../shared/webhooks/commands/ping.ts'
import { redeliver, redeliverAll } from '../shared/webhooks/commands/redeliver.ts'
import { rotateSecret } from '../shared/webhooks/commands/rotate-secret.ts'
import { changeWebhook, createWebhook, removeWebhook } from '../shared/webhooks/commands/webhooks.ts'
import { adminWebhooks } from '../shared/webhooks/contract.ts'
import { showDeliveries, showDelivery, showWebhook } from '../shared/webhooks/store/show.ts'
import { listWebhooks, type WebhookRef } from '../shared/webhooks/store/webhooks.ts'
import { webhookView } from '../shared/webhooks/view.ts'
import { changedWebhook, checkUrl } from '../shared/webhooks/webhook.ts'

function refOf({ userId }: Actor, { id }: { id: number }): WebhookRef {
  return { ownerId: userId, id }
}

export const handler = serve(
  adminWebhooks,
  {
    listWebhooks: async ({ actor, table }) => {
      const webhooks = await listWebhooks(table, actor.userId)
      return reply(webhooks.map(({ webhook, counts }) => webhookView(webhook, counts)))
    },

    createWebhook: ({ actor, body, work, environment }) =>
      createWebhook(work, environment, actor.userId, body),

    getWebhook: ({ actor, params, table, nowMs }) => showWebhook(table, refOf(actor, params), nowMs),

    changeWebhook: async ({ actor, params, body, work, nowMs }) => {
      const change = changeWebhook(work, refOf(actor, params), before => changedWebhook(before, body, nowMs))
      const { webhook, counts } = await change
      return reply(webhookView(webhook, counts))
    },

    rotateSecret: async ({ actor, params, body, work, environment }) =>
      (await rotateSecret(work, environment, refOf(actor, params), body.overlap_hours)).answer,

    deleteWebhook: async ({ actor, params, work }) => {
      await removeWebhook(work, refOf(actor, params))
      return noData()
    },

    testWebhook: async ({ actor, params, work, requestId, environment }) =>
      reply(await ping(work, environment, refOf(actor, params), requestId)),

    listDeliveries: ({ actor, params, query, table, nowMs, cursorAt }) =>
      showDeliveries(table, refOf(actor, params), query, { nowMs, cursorAt }),

    getDelivery: ({ actor, params, table, nowMs }) =>
      showDelivery(table, refOf(actor, params), params.delivery_id, nowMs),

    redeliver: ({ actor, params, work }) => redeliver(work, refOf(actor, params), params.delivery_id),

    redeliverAll: ({ actor, params, body, work }) => redeliverAll(work, refOf(actor, params), body),
  },
  { stageFaults: (body, environment) => checkUrl(body, addressPolicy(environment)) },
)
