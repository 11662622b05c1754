// Handlers of the caller's webhook subscriptions, their deliveries, and a test of each.
import type { Actor } from '../accounts/token.ts'
import { noData, reply } from '../http/reply.ts'
import { handlersOf } from '../lambda/handler.ts'
import { addressPolicy } from './address.ts'
import { ping } from './commands/ping.ts'
import { redeliver } from './commands/redeliver.ts'
import { redeliverAll } from './commands/replay.ts'
import { changeWebhook, createWebhook, removeWebhook, rotateSecret } from './commands/webhooks.ts'
import { adminWebhooks } from './contract.ts'
import { showDeliveries, showDelivery, showWebhook } from './store/show.ts'
import { listWebhooks, type WebhookRef } from './store/webhooks.ts'
import { changedWebhook, checkUrl, webhookView } from './webhook.ts'

function refOf({ userId }: Actor, { id }: { id: number }): WebhookRef {
  return { ownerId: userId, id }
}

export const webhookHandlers = handlersOf(
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
  (body, environment) => checkUrl(body, addressPolicy(environment)),
)
