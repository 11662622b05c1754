// The headers of a delivery but for its signatures: sent, and shown again by the log. No I/O.

export type SentHeaders = {
  /** The version of the service. */
  sender: string
  requestId: string
  deliveryId: string
  timestampSeconds: number
  attempt: number
}

export function contentHeaders({ sender, requestId, deliveryId, timestampSeconds, attempt }: SentHeaders) {
  return {
    'Content-Type': 'application/json',
    'User-Agent': `headless-content-service/${sender}`,
    'X-Request-Id': requestId,
    'webhook-id': deliveryId,
    'webhook-timestamp': String(timestampSeconds),
    ...(attempt > 1 && { 'webhook-attempt': String(attempt) }),
  }
}

export function transportHeaders(url: URL, body: string | Uint8Array) {
  return {
    Host: url.host,
    Connection: 'close',
    'Accept-Encoding': 'identity',
    'Content-Length': String(Buffer.byteLength(body)),
  }
}
