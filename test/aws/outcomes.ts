// What a caller gets of a call, so that two clients can be compared.
import type { SentRequest } from './both-clients.ts'

/** What callers can know of an error. */
export function described(error: unknown) {
  if (!(error instanceof Error)) return { value: error }
  const {
    message,
    name,
    stack: _,
    ...members
  } = Object.fromEntries(
    Object.getOwnPropertyNames(error).map(member => [member, Reflect.get(error, member)]),
  )
  const { $response, ...own } = members
  const { statusCode } = Object($response)
  return { kind: error.constructor.name, name: error.name, message, statusCode, ...own }
}

/** What a call returned or threw, and the requests that it sent. */
export async function outcomeOf(requests: SentRequest[], send: () => Promise<unknown>) {
  const outcome = await send().then(value => ({ value }), described)
  return { ...outcome, requests: requests.map(({ operation }) => operation) }
}
