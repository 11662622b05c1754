// Converts a function's result into an HTTP answer, as strictly as API Gateway does.
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

/** Headers that the gateway sets itself. Those of a function are renamed. */
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

/** Throws if the result is not a proxy response or contains an invalid header. */
export function answerOf(result: unknown): Answer {
  const { statusCode, headers, multiValueHeaders, body, isBase64Encoded } = proxyResponse.parse(result)
  const answer: Answer = {
    statusCode,
    headers: {},
    body: Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8'),
  }
  // setHeader ignores case and the last call wins, so multiValueHeaders come last.
  for (const [name, value] of Object.entries({ ...headers, ...multiValueHeaders })) {
    const lowerCase = name.toLowerCase()
    if (lowerCase === 'transfer-encoding') continue
    validateHeaderName(name)
    for (const single of [value].flat()) validateHeaderValue(name, single)
    answer.headers[REMAPPED.has(lowerCase) ? `x-amzn-Remapped-${name}` : name] = value
  }
  if (!hasHeader(answer, 'content-type')) answer.headers['Content-Type'] = 'application/json'
  return answer
}
