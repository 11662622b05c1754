// The caller's webhook subscriptions, and a test of each.
import { randomBytes } from 'node:crypto'
import { noData, reply } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'
import { nextId } from '../shared/table/next-id.ts'
import { addressPolicy } from '../shared/webhooks/address.ts'
import { ping } from '../shared/webhooks/commands/ping.ts'
import { addWebhook, changeWebhook, removeWebhook } from '../shared/webhooks/commands/webhooks.ts'
import { adminWebhooks } from '../shared/webhooks/contract.ts'
import { newSecret, sealSecret } from '../shared/webhooks/secret.ts'
import { getWebhook, listWebhooks } from '../shared/webhooks/store/webhooks.ts'
import { webhookView } from '../shared/webhooks/view.ts'
import { changedWebhook, checkUrl, NO_DELIVERIES, newWebhook } from '../shared/webhooks/webhook.ts'

export const handler = serve(
  adminWebhooks,
  {
    listWebhooks: async ({ actor, table }) => {
      const found = await listWebhooks(table, actor.userId)
      return reply(found.map(({ webhook, counts }) => webhookView(webhook, counts)))
    },

    createWebhook: async ({ actor, body, table, work, nowMs, environment }) => {
      const id = await nextId(table, 'webhook')
      const secret = newSecret(randomBytes)
      const sealedSecret = sealSecret(environment, id, secret)
      const webhook = newWebhook(body, { id, ownerId: actor.userId, sealedSecret, nowMs })
      const answer = reply({ ...webhookView(webhook, NO_DELIVERIES), secret })
      await addWebhook(work, webhook, answer)
      return answer
    },

    getWebhook: async ({ actor, params, table }) => {
      const { webhook, counts } = await getWebhook(table, { ownerId: actor.userId, id: params.id })
      return reply(webhookView(webhook, counts))
    },

    changeWebhook: async ({ actor, params, body, work, nowMs }) => {
      const name = { ownerId: actor.userId, id: params.id }
      const { webhook, counts } = await changeWebhook(work, name, read => changedWebhook(read, body, nowMs))
      return reply(webhookView(webhook, counts))
    },

    deleteWebhook: async ({ actor, params, work }) => {
      await removeWebhook(work, { ownerId: actor.userId, id: params.id })
      return noData()
    },

    testWebhook: async ({ actor, params, table, work, nowMs, requestId, environment }) => {
      const { webhook } = await getWebhook(table, { ownerId: actor.userId, id: params.id })
      return reply(
        await ping({ table, environment, nowMs }, webhook, { siteUrl: await work.siteUrl(), requestId }),
      )
    },
  },
  { stageFaults: (body, environment) => checkUrl(body, addressPolicy(environment)) },
)
