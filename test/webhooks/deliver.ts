// Sends one delivery, by default to loopback and with a deadline that no machine is too slow for.
import { sendOnce, type WebhookRequest } from '../../shared/webhooks/commands/request.ts'
import type { AttemptOutcome } from '../../shared/webhooks/delivery.ts'

const LONG_MS = 60_000
const LONGEST_GROWN_MS = 5_000

/** The deadline for subscribers that never answer. */
export const SHORT_MS = 200

export function deliver(url: string, changes: Partial<WebhookRequest> = {}): Promise<AttemptOutcome> {
  return sendOnce({
    url,
    headers: { 'Content-Type': 'application/json', Signature: 'abc' },
    body: '{"event":"test.ping"}',
    policy: { allowLoopback: true, allowedHosts: [] },
    timeoutMs: LONG_MS,
    ...changes,
  })
}

export function deliverTo(port: number, changes: Partial<WebhookRequest> = {}): Promise<AttemptOutcome> {
  return deliver(`http://127.0.0.1:${port}/hook?from=cms#part`, changes)
}

/** Repeats a scenario with a longer deadline until the machine was fast enough to reach its point. */
export async function withGrowingDeadline<T>(
  scenario: (timeoutMs: number) => Promise<T>,
  wasFastEnough: (result: T) => boolean,
): Promise<T> {
  for (let timeoutMs = SHORT_MS; ; timeoutMs *= 2) {
    const result = await scenario(timeoutMs)
    if (wasFastEnough(result) || timeoutMs * 2 > LONGEST_GROWN_MS) return result
  }
}
