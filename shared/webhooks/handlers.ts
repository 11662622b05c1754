// Handlers of the caller's webhook subscriptions, of their test pings and of their deliveries.
import * as z from 'zod/mini'
import type { Actor } from '../accounts/token.ts'
import { eventIdAt } from '../events/message.ts'
import { reply, withCursor } from '../http/reply.ts'
import { handlersOf } from '../lambda/handler.ts'
import { openCursor, sealCursor } from '../lists/cursor.ts'
import { addressPolicy } from './address.ts'
import { ping } from './commands/ping.ts'
import { redeliver, redeliverAll } from './commands/redeliver.ts'
import { changeWebhook, createWebhook, removeWebhook, rotateSecret } from './commands/webhooks.ts'
import { adminWebhooks } from './contract.ts'
import { deliveryDetail, deliveryView } from './delivery.ts'
import { sealHeaders } from './secret.ts'
import { getAttempt, listAttempts, listRecent } from './store/log.ts'
import { getWebhook, listWebhooks, type WebhookRef } from './store/webhooks.ts'
import { changedWebhook, checkTimes, checkUrl, webhookStatus, webhookView } from './webhook.ts'

function refOf({ userId }: Actor, { id }: { id: number }): WebhookRef {
  return { ownerId: userId, id }
}

export const webhookHandlers = handlersOf(
  adminWebhooks,
  {
    listWebhooks: async ({ actor, table }) => {
      const webhooks = await listWebhooks(table, actor.userId)
      return reply(webhooks.map(webhookView))
    },

    createWebhook: ({ actor, body, work, environment }) =>
      createWebhook(work, environment, actor.userId, body),

    getWebhook: async ({ actor, params, table, nowMs }) => {
      const [webhook, recent] = await Promise.all([
        getWebhook(table, refOf(actor, params)),
        listRecent(table, params.id, nowMs),
      ])
      return reply(webhookStatus(webhook, recent, Math.floor(nowMs / 1000)))
    },

    changeWebhook: async ({ actor, params, body, work, nowMs, environment }) => {
      const headers = sealHeaders(environment, params.id, body.headers)
      const webhook = await changeWebhook(work, refOf(actor, params), before => ({
        ...changedWebhook(before, body, nowMs),
        ...headers,
      }))
      return reply(webhookView(webhook))
    },

    rotateSecret: ({ actor, params, body, work, environment }) =>
      rotateSecret(work, environment, refOf(actor, params), body.overlap_hours),

    deleteWebhook: ({ actor, params, work }) => removeWebhook(work, refOf(actor, params)),

    testWebhook: async ({ actor, params, work, requestId, environment }) =>
      reply(await ping(work, environment, refOf(actor, params), requestId)),

    listDeliveries: async ({ actor, params, query, table, nowMs, cursorAt }) => {
      const { limit, after, ...filters } = query
      const { status, event, since, until } = filters
      const place = cursorAt(filters)
      const cursor = { ...place, parameter: 'after', schema: z.string() }
      const isWanted = (attempt: { status: string; event: string }) =>
        attempt.status === (status ?? attempt.status) && attempt.event === (event ?? attempt.event)
      const asked = {
        webhookId: params.id,
        nowMs,
        limit,
        from: since === undefined ? undefined : eventIdAt(since * 1000),
        // Including this second.
        to: until === undefined ? undefined : eventIdAt((until + 1) * 1000),
        after: after === undefined ? undefined : openCursor(after, cursor),
        isWanted: status === undefined && event === undefined ? undefined : isWanted,
      }
      // The log does not know the owner: the second read refuses the subscriptions of others.
      const [page] = await Promise.all([listAttempts(table, asked), getWebhook(table, refOf(actor, params))])
      const next = page.next === null ? null : sealCursor(page.next, place)
      return withCursor(page.attempts.map(deliveryView), { next })
    },

    getDelivery: async ({ actor, params, table, nowMs }) => {
      await getWebhook(table, refOf(actor, params))
      const { id: webhookId, delivery_id: id } = params
      const { attempt, body } = await getAttempt(table, { webhookId, id, nowMs })
      return reply(deliveryDetail(attempt, body))
    },

    redeliver: ({ actor, params, work }) => redeliver(work, refOf(actor, params), params.delivery_id),

    redeliverAll: ({ actor, params, body, work }) => redeliverAll(work, refOf(actor, params), body),
  },
  (body, environment) => ({ ...checkUrl(body, addressPolicy(environment)), ...checkTimes(body) }),
)
