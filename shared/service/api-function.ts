// An API function: the slices that it serves, and the permissions that their endpoints imply.
import { TEST_EVENT } from '../events/catalogue.ts'
import { abilitiesAtTimes, type Endpoint, type Group, takesIdempotencyKey } from '../http/endpoint.ts'
import type { Reach } from '../table/kinds.ts'
import { type FunctionNeeds, needsOf, type PartNeeds } from './needs.ts'

/** The endpoints of a slice that one function serves, and what their handlers need. */
export type ServedSlice = PartNeeds & { endpoints: Group }

/** `slices`: the groups by the name of their slice, which the document shows as a tag. */
export type ApiFunction = FunctionNeeds & { endpoints: Group; slices: Record<string, Group> }

/** Whether the endpoint authenticates its caller, if only to let admins pass during maintenance. */
function authenticates(endpoint: Endpoint): boolean {
  return endpoint.ability !== null || !endpoint.isOpenInMaintenance || abilitiesAtTimes(endpoint).length > 0
}

function firesEvents({ emits }: Endpoint): boolean {
  return emits.some(name => name !== TEST_EVENT)
}

/** Adds what every API function needs, and what the endpoints imply: events to send, answers to store. */
export function api(
  slices: Record<string, ServedSlice>,
  size: Partial<Pick<FunctionNeeds, 'memoryMb' | 'timeoutSeconds'>> = {},
): ApiFunction {
  const served = Object.entries(slices)
  const groups = Object.fromEntries(served.map(([name, { endpoints }]) => [name, endpoints]))
  const parts = served.map(([, slice]) => withImplied(slice))
  return {
    ...needsOf([{ reads: ['SETTINGS'], writes: ['LIMIT'], secrets: ['ClientKey'] }, ...parts], {
      memoryMb: 1024,
      timeoutSeconds: 20,
      ...size,
    }),
    endpoints: Object.assign({}, ...Object.values(groups)),
    slices: groups,
  }
}

function withImplied({ endpoints, ...needs }: ServedSlice): PartNeeds {
  const all = Object.values(endpoints)
  const fires = all.some(firesEvents)
  const sends = [...(fires ? ['events' as const] : []), ...(needs.sends ?? [])]
  const { writes = [] } = needs
  const when = (applies: boolean, ...reaches: Reach[]) => (applies ? reaches : [])
  // A change of public content has a row in the feed, above the place of the last one.
  const changesContent = writes.includes('VERSION')
  return {
    ...needs,
    sends,
    reads: [
      ...when(all.some(authenticates), 'USER'),
      // A limit by log reads before it writes; a limit by window only writes.
      ...when(
        all.some(({ limit }) => limit.kind === 'log'),
        'LIMIT',
      ),
      // What is remembered of public content ends with its version, or when the next scheduled post is due.
      ...when(
        all.some(({ readsContent }) => readsContent),
        'VERSION',
        'SCHEDULED',
      ),
      ...when(changesContent, 'VERSION'),
      // That no subscription wants an event is a condition of the change.
      ...when(fires, 'SUBSCRIPTIONS'),
      ...(needs.reads ?? []),
    ],
    writes: [
      // A message is written to the outbox in the transaction of its change, and deleted when it is sent.
      ...when(sends.length > 0, 'OUTBOX'),
      ...when(all.some(takesIdempotencyKey), 'IDEMPOTENCY'),
      ...writes,
    ],
    puts: [...when(changesContent, 'CHANGES'), ...(needs.puts ?? [])],
    checks: [...when(fires, 'SUBSCRIPTIONS'), ...(needs.checks ?? [])],
  }
}
