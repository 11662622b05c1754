// Edits posts in a burst, and receives its hook as a builder would: the body says where to begin.
import { json } from 'node:stream/consumers'
import * as z from 'zod/mini'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { openServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import type { Stage } from './stage.ts'

const Hook = z.object({ cursor: z.string() })
/** Long enough for all edits of a busy machine. */
const QUIET_SECONDS = 3
const WITHIN_MS = 30_000

/** Returns the cursor of the first hook, and how many came. */
export async function hookAfter(edits: number, { call, admin: token, edit }: Stage) {
  const received: z.infer<typeof Hook>[] = []
  const { url, stop } = await openServer(async (request, response) => {
    received.push(Hook.parse(await json(request)))
    response.writeHead(202).end()
  })
  const body = { cursor: '{{cursor}}' }
  const subscription = { name: 'Builds', url, events: ['*' as const], quiet_seconds: QUIET_SECONDS, body }
  const { data } = await call(adminWebhooks.createWebhook, { token, body: subscription })
  try {
    for (let n = 0; n < edits; n++) await edit()
    const { cursor } = await until('the hook', () => received[0], WITHIN_MS)
    return { cursor, hooks: received.length }
  } finally {
    await call(adminWebhooks.deleteWebhook, { token, params: { id: data.id } })
    await stop()
  }
}
