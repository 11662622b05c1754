// The checks that compare every answer and every delivery of the tests with the document.
import { describe, expect, it } from 'vitest'
import { EVENTS } from '../../shared/events/catalogue.ts'
import { type AnswerToCheck, checkAnswer, deliveryFault } from '../support/check-answer.ts'

const HEADERS: Record<string, string> = { 'X-Request-Id': 'a', 'Cache-Control': 'no-store', ETag: 'W/"a"' }
const category = { id: 1, name: 'News', slug: 'news', description: '', posts_count: 0 }
const envelope = { success: true, message: 'Category.', data: category }
const failure = { success: false, message: 'Category not found.', errors: { code: 'NOT_FOUND' } }

function check(change: Partial<AnswerToCheck> & { headers?: Record<string, string> }) {
  return () => {
    const { headers = HEADERS, ...more } = change
    const answer = { method: 'GET', path: '/api/v1/categories/news?x=1', status: 200, body: envelope }
    checkAnswer({ ...answer, header: name => headers[name], ...more })
  }
}

const { ETag: _, ...UNTAGGED } = HEADERS

describe('the check of deliveries', () => {
  const { sample: data } = EVENTS['test.ping']
  const body = { event: 'test.ping', occurred_at: '2026-05-26T15:00:00+00:00', data }
  const headers = {
    signature: 'a'.repeat(64),
    'webhook-id': 'evt_1-1',
    'webhook-timestamp': '1795000000',
    'webhook-signature': 'v1,x',
    'x-request-id': 'a',
  }

  it('accepts a delivery as documented, and rejects other events, members and missing headers', () => {
    expect(deliveryFault('test.ping', headers, body)).toBeUndefined()
    expect(deliveryFault('test.pong', headers, body)).toBe('the document has no event test.pong')
    const more = { ...body, data: { ...data, secret: 'x' } }
    expect(deliveryFault('test.ping', headers, more)).toContain('must NOT have additional properties')
    const unsigned = { ...headers, signature: undefined }
    expect(deliveryFault('test.ping', unsigned, body)).toContain('Signature must be string')
  })
})

describe('the check of answers', () => {
  it('accepts answers as documented, to HEAD and of unknown paths', () => {
    expect(check({})).not.toThrow()
    expect(check({ method: 'HEAD', body: undefined })).not.toThrow()
    expect(check({ status: 404, body: failure, headers: UNTAGGED })).not.toThrow()
    expect(check({ path: '/api/v1/nothing', status: 418 })).not.toThrow()
  })

  it.each<[string, Parameters<typeof check>[0]]>([
    ['the document does not have the status 418', { status: 418 }],
    ['must NOT have additional properties', { body: { ...envelope, data: { ...category, secret: 'x' } } }],
    ['must NOT have additional properties', { body: { ...envelope, more: 1 } }],
    ['/data/id must be integer', { body: { ...envelope, data: { ...category, id: '1' } } }],
    ["must have required property 'slug'", { body: { ...envelope, data: { ...category, slug: undefined } } }],
    [
      'must be equal to one of the allowed values',
      { status: 404, body: { ...failure, errors: { code: 'X' } }, headers: UNTAGGED },
    ],
    ['NOT_FOUND has to be 404 and not 429', { status: 429, body: failure, headers: UNTAGGED }],
    [
      'NOT_FOUND carries Retry-After',
      { status: 404, body: failure, headers: { ...UNTAGGED, 'Retry-After': '1' } },
    ],
    ['200 has to carry ETag', { headers: UNTAGGED }],
    ['404 carries ETag', { status: 404, body: failure }],
  ])('reports "%s" for %j', (fault, change) => {
    expect(check(change)).toThrow(fault)
    expect(check(change)).toThrow(
      'GET /api/v1/categories/{slug}, requested as GET /api/v1/categories/news?x=1',
    )
  })
})
