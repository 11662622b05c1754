// Verifies deliveries as receivers do: by the libraries of Standard Webhooks, or by the header `Signature`.
import { createHmac } from 'node:crypto'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { vi } from 'vitest'
import type { RecordedDelivery } from './recording.ts'

/** The names of the headers are in lower case. */
export type SignedDelivery = { body: string; headers: Record<string, string> }

/** The delivery as a receiver got it. */
export function signedIn({ body, headers }: RecordedDelivery): SignedDelivery {
  return { body, headers: headers as Record<string, string> }
}

/** Whether the libraries accept the delivery with this secret, at the time of the delivery. */
export function isAccepted(secret: string, { body, headers }: SignedDelivery): boolean {
  vi.useFakeTimers({ now: Number(headers['webhook-timestamp']) * 1000, toFake: ['Date'] })
  try {
    for (const Library of [StandardWebhook, SvixWebhook]) new Library(secret).verify(body, headers)
    return true
  } catch {
    return false
  } finally {
    vi.useRealTimers()
  }
}

/** The one of the secrets whose HMAC `Signature` is. */
export function signerOf({ body, headers }: SignedDelivery, secrets: string[]): string | undefined {
  return secrets.find(secret => createHmac('sha256', secret).update(body).digest('hex') === headers.signature)
}
