// Turns what a function returned into an HTTP answer, as strictly as API Gateway does.
import { validateHeaderName, validateHeaderValue } from 'node:http'
import * as z from 'zod/mini'
import { type Answer, hasHeader } from './answer.ts'

const headerValue = z.union([z.string(), z.pipe(z.boolean(), z.transform(String))])

const proxyResponse = z.strictObject({
  statusCode: z._default(z.coerce.number().check(z.int(), z.minimum(200), z.maximum(599)), 200),
  headers: z.nullish(z.record(z.string(), headerValue)),
  multiValueHeaders: z.nullish(z.record(z.string(), z.array(headerValue))),
  body: z.nullish(z.string()),
  isBase64Encoded: z.nullish(z.boolean()),
})

/** Headers that the gateway writes itself: a function's own come out under another name. */
const REMAPPED = new Set([
  'connection',
  'content-length',
  'content-md5',
  'date',
  'host',
  'server',
  'user-agent',
  'www-authenticate',
])

/** @throws when the function's result is no proxy response or has a header that HTTP cannot carry. */
export function answerOf(result: unknown): Answer {
  const { statusCode, headers, multiValueHeaders, body, isBase64Encoded } = proxyResponse.parse(result)
  const answer: Answer = {
    statusCode,
    headers: {},
    body: Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8'),
  }
  // Node's setHeader is case-insensitive and the last one wins: several values win over one.
  for (const [name, value] of Object.entries({ ...headers, ...multiValueHeaders })) {
    const lowerCase = name.toLowerCase()
    if (lowerCase === 'transfer-encoding') continue
    validateHeaderName(name)
    for (const one of [value].flat()) validateHeaderValue(name, one)
    answer.headers[REMAPPED.has(lowerCase) ? `x-amzn-Remapped-${name}` : name] = value
  }
  if (!hasHeader(answer, 'content-type')) answer.headers['Content-Type'] = 'application/json'
  return answer
}
