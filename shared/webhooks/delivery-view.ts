// A delivery as the API shows it. No I/O.
import { isoTime } from '../http/time.ts'
import { type AttemptRecord, idOf, triggerOf } from './attempt.ts'
import { deliveryId } from './delivery.ts'
import {
  type Delivery,
  type DeliveryDetail,
  type DeliveryRequest,
  type DeliveryResponse,
  ERRORS,
} from './fields.ts'
import { contentHeaders, transportHeaders } from './headers.ts'

export function deliveryView(record: AttemptRecord): Delivery {
  return {
    id: idOf(record),
    event_id: record.event_id,
    event: record.event,
    occurred_at: record.occurred_at,
    attempt: record.attempt,
    trigger: triggerOf(record),
    status: record.status,
    attempted_at: record.attempted_ms === null ? null : isoTime(Math.floor(record.attempted_ms / 1000)),
    duration_ms: record.duration_ms,
    response_status: record.response_status,
    error: ERRORS.find(code => code === record.error) ?? null,
    error_detail: record.error_detail,
    request_id: record.request_id,
    resource: record.resource,
  }
}

export type AttemptWithTexts = {
  attempt: AttemptRecord
  /** What was sent; undefined if the event was not kept. */
  body: Uint8Array | undefined
  response: DeliveryResponse | undefined
}

export function deliveryDetail({ attempt, body, response }: AttemptWithTexts): DeliveryDetail {
  return {
    ...deliveryView(attempt),
    request: body ? requestOf(attempt, body) : null,
    response: response ?? null,
  }
}

/** Null before it is sent. */
function requestOf(attempt: AttemptRecord, body: Uint8Array): DeliveryRequest | null {
  const { url, sender, attempted_ms } = attempt
  const address = url === null ? null : URL.parse(url)
  if (url === null || address === null || sender === null || attempted_ms === null) return null
  return {
    url,
    headers: {
      ...contentHeaders({
        sender,
        requestId: attempt.request_id,
        deliveryId: deliveryId(attempt),
        timestampSeconds: Math.floor(attempted_ms / 1000),
        attempt: attempt.attempt,
      }),
      ...transportHeaders(address, body),
    },
    body: Buffer.from(body).toString('utf8'),
  }
}
