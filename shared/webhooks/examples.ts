// Subscriptions and deliveries as the examples of the document show them.
export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='
export const CREATED = { name: 'My site', url: 'https://www.example.com/hooks', events: ['*' as const] }
export const WEBHOOK = { id: 1, ...CREATED, is_active: true, total_deliveries: 12, failed_deliveries: 1 }
const EVENT_ID = 'evt_0199a1b2c3d40123456789abcdef01234567'
const BODY =
  '{"event":"post.published","occurred_at":"2026-05-26T15:00:00+00:00","data":{"id":7,"slug":"hello-world"}}'

export const SENT = {
  id: `${EVENT_ID}-1.1`,
  event_id: EVENT_ID,
  event: 'post.published',
  occurred_at: '2026-05-26T15:00:00+00:00',
  attempt: 1,
  trigger: 'event' as const,
  status: 'failed' as const,
  attempted_at: '2026-05-26T15:00:01+00:00',
  duration_ms: 37,
  response_status: 500,
  error: 'status' as const,
  error_detail: 'www.example.com answered 500.',
  request_id: 'build-7',
  resource: { type: 'post', id: 7 },
}

export const QUEUED = {
  ...SENT,
  id: `${EVENT_ID}-1.2`,
  attempt: 2,
  trigger: 'redelivery' as const,
  status: 'queued' as const,
  attempted_at: null,
  duration_ms: null,
  response_status: null,
  error: null,
  error_detail: null,
}

export const SENT_DETAIL = {
  ...SENT,
  request: {
    url: 'https://www.example.com/hooks',
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'headless-content-service/1.0.0',
      'X-Request-Id': 'build-7',
      'webhook-id': `${EVENT_ID}-1`,
      'webhook-timestamp': '1779807601',
      Host: 'www.example.com',
      Connection: 'close',
      'Accept-Encoding': 'identity',
      'Content-Length': String(BODY.length),
    },
    body: BODY,
  },
  response: { headers: { 'content-type': 'text/plain' }, body_start: 'Internal Server Error' },
}
