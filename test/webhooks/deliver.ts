// Sends one delivery with a short deadline, by default to loopback.
import { sendOnce, type WebhookRequest } from '../../shared/webhooks/commands/request.ts'
import type { AttemptOutcome } from '../../shared/webhooks/delivery.ts'

export const timeoutMs = 200

export function deliver(url: string, changes: Partial<WebhookRequest> = {}): Promise<AttemptOutcome> {
  return sendOnce({
    url,
    headers: { 'Content-Type': 'application/json', Signature: 'abc' },
    body: '{"event":"test.ping"}',
    policy: { allowLoopback: true, allowedHosts: [] },
    timeoutMs,
    ...changes,
  })
}

export function deliverTo(port: number, changes: Partial<WebhookRequest> = {}): Promise<AttemptOutcome> {
  return deliver(`http://127.0.0.1:${port}/hook?from=cms#part`, changes)
}
