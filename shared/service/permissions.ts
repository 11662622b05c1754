// What a function may reach: what it declares, and what its endpoints imply.
import { TEST_EVENT } from '../events/catalogue.ts'
import type { QueueName } from '../events/message.ts'
import { type Endpoint, type Group, takesIdempotencyKey } from '../http/endpoint.ts'
import type { SecretName } from '../runtime/parameters.ts'
import { listPartition } from '../table/design.ts'
import type { ListName, Reach } from '../table/kinds.ts'

/** A function's access to the table, by kinds of records. Nothing else is granted. */
export type Access = {
  /** Also in the conditions of transactions. */
  reads: Reach[]
  writes: Reach[]
  /** Records that it may put, but not delete. */
  puts: Reach[]
  /** Records that it may change, but neither replace nor delete. */
  updates: Reach[]
}

type Reached = Access & {
  sends: QueueName[]
  secrets: SecretName[]
  /** Whether it may send mail through SES. */
  sendsMail: boolean
}

/** What a part of a function needs. */
export type PartNeeds = Partial<Reached>

export type FunctionNeeds = Reached & {
  /** 1,769 MB gives one full vCPU, which hashing a password needs. */
  memoryMb: number
  timeoutSeconds: number
}

/** The needs of all parts, each once. A permission to write includes the lesser ones. */
export function needsOf(...parts: PartNeeds[]): Reached {
  const all = <Item>(listOf: (part: PartNeeds) => Item[] | undefined) => [
    ...new Set(parts.flatMap(part => listOf(part) ?? [])),
  ]
  const writes = all(part => part.writes)
  const notWritten = (reach: Reach) => !writes.includes(reach)
  return {
    reads: all(part => part.reads),
    writes,
    puts: all(part => part.puts).filter(notWritten),
    updates: all(part => part.updates).filter(notWritten),
    sends: all(part => part.sends),
    secrets: all(part => part.secrets),
    sendsMail: parts.some(({ sendsMail }) => sendsMail),
  }
}

/** The endpoints of a slice that one function serves, and what their handlers need. */
type ServedSlice = PartNeeds & { endpoints: Group }

/** `slices`: the groups by the name of their slice, which the document shows as a tag. */
export type ApiFunction = FunctionNeeds & { endpoints: Group; slices: Record<string, Group> }

const TIMEOUT_SECONDS = 20
/** Longer than a batch, and shorter than the 29 s that the gateway waits. */
const BATCH_TIMEOUT_SECONDS = 28

/** Adds what every API function needs, and what its endpoints imply: events to send, answers to store. */
export function api(served: Record<string, ServedSlice>, memoryMb = 1024): ApiFunction {
  const parts = Object.values(served)
  const slices = Object.fromEntries(Object.entries(served).map(([name, { endpoints }]) => [name, endpoints]))
  const endpoints: Group = Object.assign({}, ...Object.values(slices))
  const everywhere: PartNeeds = { reads: ['SETTINGS'], writes: ['LIMIT'], secrets: ['ClientKey'] }
  const needs = needsOf(everywhere, ...parts, ...impliedBy(Object.values(endpoints), parts))
  const runsBatches = Object.values(endpoints).some(({ isBatch }) => isBatch)
  const timeoutSeconds = runsBatches ? BATCH_TIMEOUT_SECONDS : TIMEOUT_SECONDS
  return { ...needs, memoryMb, timeoutSeconds, endpoints, slices }
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
    [fires, { reads: ['SUBSCRIPTIONS'], sends: ['events'] }],
    // A message is written to the outbox in the transaction of its change, and deleted when it is sent.
    [sends, { writes: ['OUTBOX'] }],
    // An answer is kept sealed.
    [endpoints.some(takesIdempotencyKey), { writes: ['IDEMPOTENCY'], secrets: ['PrivateKey'] }],
  ]
  return implied.flatMap(([isImplied, needs]) => (isImplied ? needs : []))
}

/** Whether the endpoint authenticates its caller, if only to let admins pass during maintenance. */
function authenticates({ ability, isOpenInMaintenance }: Endpoint): boolean {
  return ability !== null || !isOpenInMaintenance
}

/** A large text is written in chunks, and listed for the sweep until a record refers to it. */
export const LARGE_TEXTS: Reach[] = ['CHUNK', 'LEFTOVER']

/** Every list of a kind of record, as permissions name them: `listsOf(KINDS.POST)`. */
export function listsOf({ lists }: { lists: readonly ListName[] }): Reach[] {
  return lists.map((name): Reach => `LIST ${name}`)
}

/**
 * The partition keys of a kind, with `*` for any text: a list has one of its own name, other kinds have one,
 * or one for each id.
 */
export function partitionsOf(reach: Reach): string[] {
  const [kind, list] = reach.split(' ')
  return list === undefined ? [reach, `${kind}#*`] : [listPartition(list)]
}
