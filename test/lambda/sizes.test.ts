// The size of answers: one that Lambda would not pass on becomes a 422 that says how many items fit.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { endpoint } from '../../shared/http/endpoint.ts'
import { members } from '../../shared/http/members.ts'
import { pageParameters } from '../../shared/http/parameters.ts'
import { paged } from '../../shared/http/reply.ts'
import { openChain, type Result } from '../support/chain.ts'
import { use } from '../support/use.ts'

const chain = use(openChain)

const LIMIT_BYTES = 5_900_000

const list = endpoint({
  method: 'GET',
  path: '/api/v1/posts',
  summary: 'Items',
  message: 'Items.',
  data: z.array(z.string()),
  query: members(pageParameters()),
  // The handlers of this test answer the same request differently.
  readsContent: false,
  example: { data: [] },
})

async function answerTo(items: string[], method = 'GET') {
  const page = { page: 1, per_page: items.length }
  const call = chain.open({ list }, { list: async () => paged({ items, total: items.length }, page) })
  return await call(list, { method })
}

/** As Lambda counts: the whole response as JSON, in which each quote of the body is escaped again. */
function bytesOf({ status, headers, text }: Result) {
  return Buffer.byteLength(JSON.stringify({ statusCode: status, headers, body: text }))
}

describe.each([
  ['plain', 'x'.repeat(99_000)],
  ['quotes', '"'.repeat(40_000)],
  ['line breaks and signs', '\n\\\u0001🚀'.repeat(9_000)],
])('a page of %s', (_kind, item) => {
  it('is answered up to 5.9 MB, and beyond that with 422 and the number of items that fit', async () => {
    const many = Array.from({ length: 100 }, () => item)
    const refused = await answerTo(many)
    expect([refused.status, refused.code]).toEqual([422, 'VALIDATION_ERROR'])
    const [text] = JSON.parse(refused.text).errors.fields.per_page
    const fitting = Number(/\d+/.exec(text)?.[0])

    const whole = await answerTo(many.slice(0, fitting))
    expect(whole.status).toBe(200)
    expect(bytesOf(whole)).toBeLessThanOrEqual(LIMIT_BYTES)
    expect(JSON.parse(whole.text).data).toHaveLength(fitting)
    const next = await answerTo(many.slice(0, fitting + 2))
    expect(next.status).toBe(422)
  })

  it('is answered with 422 to HEAD if it is too large', async () => {
    const many = Array.from({ length: 100 }, () => item)
    expect((await answerTo(many, 'HEAD')).status).toBe(422)
  })
})
