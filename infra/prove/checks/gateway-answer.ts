// The id in answers that the gateway makes itself, whose headers are not documented to take it.
import { type Check, cannotBeTold, heldUnless } from '../check.ts'
import { codeOf, type HttpAnswer } from '../http.ts'

const MEBIBYTE = 1024 * 1024
/** API Gateway takes 10 MB. */
const TOO_LARGE = Buffer.alloc(11 * MEBIBYTE, 'x')
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Only functions send it. */
const MADE_BY_FUNCTION = 'x-ratelimit-limit'

export const REQUEST_ID_CHECK: Check = {
  name: 'context.requestId in a gateway response',
  did: 'POST /api/v1/contact with 11 MiB, which the gateway refuses, and OPTIONS /api/v1/posts, which it answers.',
  expected: '413 in the envelope and 204, both with the id of the request in X-Request-Id.',
  run: async stage => {
    const refused = await stage.ask('POST', '/api/v1/contact', { body: TOO_LARGE })
    const preflight = await stage.ask('OPTIONS', '/api/v1/posts')
    if (refused.headers[MADE_BY_FUNCTION] !== undefined) {
      return cannotBeTold(
        `A function answered 11 MiB with ${codeOf(refused)}, so no gateway response was made.`,
      )
    }
    const wrong = [
      ...(codeOf(refused) === '413 PAYLOAD_TOO_LARGE' ? [] : [`11 MiB are answered ${codeOf(refused)}.`]),
      ...idProblems('the 413', refused),
      ...idProblems('the preflight', preflight),
    ]
    return heldUnless(wrong, `X-Request-Id: ${refused.headers['x-request-id']}`)
  },
}

/** API Gateway sends its id in a header of its own, too. */
function idProblems(name: string, { headers }: HttpAnswer): string[] {
  const id = headers['x-request-id'] ?? 'none'
  const gatewayId = headers['x-amzn-requestid'] ?? id
  return ID.test(id) && id === gatewayId
    ? []
    : [`X-Request-Id of ${name}: ${id}; the gateway says ${gatewayId}.`]
}
