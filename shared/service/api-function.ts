// An API function: its endpoints, and the permissions that they imply.
import { TEST_EVENT } from '../events/catalogue.ts'
import type { QueueName } from '../events/message.ts'
import { abilitiesAtTimes, type Endpoint, type Group, takesIdempotencyKey } from '../http/endpoint.ts'
import type { Reach } from '../table/kinds.ts'
import type { Access, FunctionNeeds, PartialUpdate } from './needs.ts'

export type ApiFunction = FunctionNeeds & { endpoints: Group }

/** Whether the endpoint authenticates its caller, if only to let admins pass during maintenance. */
function authenticates(endpoint: Endpoint): boolean {
  return endpoint.ability !== null || !endpoint.isOpenInMaintenance || abilitiesAtTimes(endpoint).length > 0
}

/** The only attribute of users and tokens that authentication writes. */
export const TOKEN_USE: PartialUpdate = { of: 'USER', attributes: ['last_used_at'] }

function firesEvents({ emits }: Endpoint): boolean {
  return emits.some(name => name !== TEST_EVENT)
}

/** Adds what every API function needs, and what its endpoints imply: events to send, answers to store. */
export function api(endpoints: Group, access: Access, overrides: Partial<FunctionNeeds> = {}): ApiFunction {
  const all = Object.values(endpoints)
  const events: QueueName[] = all.some(firesEvents) ? ['events'] : []
  // That no subscription wants an event is a condition of the change.
  const wanted: Reach[] = events.length > 0 ? ['SUBSCRIPTIONS'] : []
  const sends = [...events, ...(overrides.sends ?? [])]
  // A message is written to the outbox in the transaction of its change, and deleted when it is sent.
  const outbox: Reach[] = sends.length > 0 ? ['OUTBOX'] : []
  // A change of public content has a row in the feed, above the place of the last one.
  const isPublic = access.writes.includes('VERSION')
  const [head, feed]: [Reach[], Reach[]] = isPublic ? [['VERSION'], ['CHANGES']] : [[], []]
  const kept: Reach[] = all.some(takesIdempotencyKey) ? ['IDEMPOTENCY'] : []
  const callers: Reach[] = all.some(authenticates) ? ['USER'] : []
  // A permission to write the record includes its attributes.
  const notesTokenUse = callers.length > 0 && !access.writes.includes('USER')
  // A limit by log reads before it writes; a limit by window only writes.
  const logs: Reach[] = all.some(({ limit }) => limit.kind === 'log') ? ['LIMIT'] : []
  // What is remembered of public content ends with its version, or when the next scheduled post is due.
  const content: Reach[] = all.some(({ readsContent }) => readsContent) ? ['VERSION', 'SCHEDULED'] : []
  return {
    endpoints,
    reads: ['SETTINGS', ...callers, ...logs, ...content, ...head, ...wanted, ...access.reads],
    writes: ['LIMIT', ...outbox, ...kept, ...access.writes],
    puts: [...feed, ...(access.puts ?? [])],
    checks: [...wanted, ...(access.checks ?? [])],
    updates: [...(notesTokenUse ? [TOKEN_USE] : []), ...(access.updates ?? [])],
    secrets: ['ClientKey'],
    sendsMail: false,
    memoryMb: 1024,
    timeoutSeconds: 20,
    ...overrides,
    sends,
  }
}
