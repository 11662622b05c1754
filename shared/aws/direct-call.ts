// The request and the answer of a direct call, as JSON and as a caller sees them.
import type { Attempt, HttpResponse } from './exchange.ts'
import type { Shape } from './shapes.ts'

export type DirectCall = {
  /** Its name in `x-amz-target`. */
  operation: string
  request: Shape
  answer: Shape
  /** Whether the answer passes the checks of the SDK, which otherwise reads it and says what is wrong. */
  isIntact?: (input: object, answer: object) => boolean
}

/** The body of the request, or undefined if the SDK has to write it. */
export function writeBody({ request }: DirectCall, input: object): string | undefined {
  try {
    return JSON.stringify(request(input))
  } catch {
    return undefined
  }
}

/** What the caller gets, or undefined if the SDK has to read the answer. */
export function readAnswer(
  { answer, isIntact }: DirectCall,
  input: object,
  attempt: Attempt,
): { response: HttpResponse; output: object } | undefined {
  if (!('response' in attempt) || attempt.text === undefined || attempt.response.statusCode !== 200) {
    return undefined
  }
  const { response, text } = attempt
  try {
    const output = Object(answer(JSON.parse(text || '{}')))
    if (isIntact && !isIntact(input, output)) return undefined
    output.$metadata = metadataOf(response)
    return { response, output }
  } catch {
    return undefined
  }
}

function metadataOf({ statusCode, headers }: HttpResponse) {
  return {
    httpStatusCode: statusCode,
    requestId: headers['x-amzn-requestid'] ?? headers['x-amzn-request-id'] ?? headers['x-amz-request-id'],
    extendedRequestId: headers['x-amz-id-2'],
    cfId: headers['x-amz-cf-id'],
    attempts: 1,
    totalRetryDelay: 0,
  }
}
