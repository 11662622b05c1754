// An API function: the slices that it serves, and the permissions that their endpoints imply.
import { TEST_EVENT } from '../events/catalogue.ts'
import { abilitiesAtTimes, type Endpoint, type Group, takesIdempotencyKey } from '../http/endpoint.ts'
import { type FunctionNeeds, needsOf, type PartNeeds } from './needs.ts'

/** The endpoints of a slice that one function serves, and what their handlers need. */
type ServedSlice = PartNeeds & { endpoints: Group }

/** `slices`: the groups by the name of their slice, which the document shows as a tag. */
export type ApiFunction = FunctionNeeds & { endpoints: Group; slices: Record<string, Group> }

/** Adds what every API function needs, and what its endpoints imply: events to send, answers to store. */
export function api(served: Record<string, ServedSlice>, memoryMb = 1024): ApiFunction {
  const parts = Object.values(served)
  const slices = Object.fromEntries(Object.entries(served).map(([name, { endpoints }]) => [name, endpoints]))
  const endpoints: Group = Object.assign({}, ...Object.values(slices))
  const everywhere: PartNeeds = { reads: ['SETTINGS'], writes: ['LIMIT'], secrets: ['ClientKey'] }
  const needs = needsOf([everywhere, ...parts, ...impliedBy(Object.values(endpoints), parts)], {
    memoryMb,
    timeoutSeconds: 20,
  })
  return { ...needs, endpoints, slices }
}

function impliedBy(endpoints: Endpoint[], parts: PartNeeds[]): PartNeeds[] {
  const fires = endpoints.some(({ emits }) => emits.some(name => name !== TEST_EVENT))
  const sends = fires || parts.some(part => part.sends)
  const implied: [isImplied: boolean, needs: PartNeeds][] = [
    [endpoints.some(authenticates), { reads: ['USER'] }],
    // A limit by log reads before it writes; a limit by window only writes.
    [endpoints.some(({ limit }) => limit.kind === 'log'), { reads: ['LIMIT'] }],
    // What is remembered of public content ends with its version, or when the next scheduled post is due.
    [endpoints.some(({ readsContent }) => readsContent), { reads: ['VERSION', 'SCHEDULED'] }],
    // A change of public content has a row in the feed, above the place of the last one.
    [parts.some(({ writes }) => writes?.includes('VERSION')), { reads: ['VERSION'], puts: ['CHANGES'] }],
    // That no subscription wants an event is a condition of the change.
    [fires, { reads: ['SUBSCRIPTIONS'], checks: ['SUBSCRIPTIONS'], sends: ['events'] }],
    // A message is written to the outbox in the transaction of its change, and deleted when it is sent.
    [sends, { writes: ['OUTBOX'] }],
    [endpoints.some(takesIdempotencyKey), { writes: ['IDEMPOTENCY'] }],
  ]
  return implied.flatMap(([isImplied, needs]) => (isImplied ? needs : []))
}

/** Whether the endpoint authenticates its caller, if only to let admins pass during maintenance. */
function authenticates(endpoint: Endpoint): boolean {
  return endpoint.ability !== null || !endpoint.isOpenInMaintenance || abilitiesAtTimes(endpoint).length > 0
}
