// A rotation answers with the new secret once no delivery is on its way that the old one alone has signed.
import { setTimeout as pause } from 'node:timers/promises'
import type { Table } from '../../table/client.ts'
import { webhookKey } from '../../table/design.ts'
import type { AttemptRecord } from '../attempt.ts'
import { LEASE_MS } from '../delivery.ts'
import { listAttempts } from '../store/log.ts'
import { WebhookRecord } from '../webhook.ts'

/** If its claim ends later than this after its subscription was read, a delivery is signed again. */
const SIGNED_WITHIN_MS = 1_000

/** `readMs`: when the read of the subscription began, by `performance.now()`. */
export async function latestSecrets(
  table: Table,
  webhook: WebhookRecord,
  readMs: number,
): Promise<WebhookRecord> {
  if (performance.now() - readMs <= SIGNED_WITHIN_MS) return webhook
  // After its claim a delivery must not fail for want of a read.
  const [item] = await table.findMany([webhookKey(webhook.owner_id, webhook.id)]).catch(() => [])
  const latest = item && WebhookRecord.parse(item)
  return latest ? { ...webhook, sealed_secret: latest.sealed_secret } : webhook
}

/** A request takes at most 5 s, and its outcome is stored soon after. */
const FLIGHT_MS = 6_000
const CLOCKS_DIFFER_MS = 2_000
const STEP_MS = 200
const NEWEST = 50

/** After the commit of a rotation: what is claimed after the first pause carries both signatures. */
export async function waitForSignedEarlier(table: Table, webhookId: number, nowMs: number): Promise<void> {
  await pause(SIGNED_WITHIN_MS)
  const startMs = performance.now()
  while (await mayBeSending(table, webhookId, nowMs)) {
    if (performance.now() - startMs > FLIGHT_MS) return
    await pause(STEP_MS)
  }
}

/** The log is in the order of events. With many recent attempts, that of an older event may be on its way. */
async function mayBeSending(table: Table, webhookId: number, nowMs: number): Promise<boolean> {
  const { attempts, next } = await listAttempts(table, { webhookId, nowMs, limit: NEWEST })
  const isSince = (ageMs: number) => (attempt: AttemptRecord) => (attempt.attempted_ms ?? 0) > nowMs - ageMs
  const isSending = attempts.filter(isSince(LEASE_MS)).some(({ status }) => status === 'sending')
  return isSending || (next !== null && attempts.some(isSince(FLIGHT_MS + CLOCKS_DIFFER_MS)))
}
