// The permissions of a function: those that it declares, and those that its endpoints imply.
import { TEST_EVENT } from '../events/catalogue.ts'
import type { QueueName } from '../events/message.ts'
import { type Endpoint, type Group, takesIdempotencyKey } from '../http/endpoint.ts'
import type { SecretName } from '../runtime/parameters.ts'
import { listPartition } from '../table/design.ts'
import type { ListName, RecordKind } from '../table/kinds.ts'

/** A function's access to the table, by kinds of records. It may use no others. */
export type Access = {
  /** Also in the conditions of transactions. */
  reads: RecordKind[]
  writes: RecordKind[]
  /** Records that it may put, but not delete. */
  puts: RecordKind[]
  /** Records that it may change, but neither replace nor delete. */
  updates: RecordKind[]
}

type Permissions = Access & {
  sends: QueueName[]
  secrets: SecretName[]
  /** Whether it may send mail through SES. */
  sendsMail: boolean
}
export type SomePermissions = Partial<Permissions>

export type FunctionDeclaration = Permissions & {
  /** 1,769 MB gives one full vCPU, which hashing a password needs. */
  memoryMb: number
  timeoutSeconds: number
  /** The queue of a worker. */
  consumes?: QueueName
}

/** The permissions of all parts, each once. A permission to write includes those to put and to update. */
export function permissionsOf(...parts: SomePermissions[]): Permissions {
  const all = <Item>(listOf: (part: SomePermissions) => Item[] | undefined) => [
    ...new Set(parts.flatMap(part => listOf(part) ?? [])),
  ]
  const writes = all(part => part.writes)
  const notWritten = (kind: RecordKind) => !writes.includes(kind)
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

/** The endpoints of a slice that one function serves, and the permissions of their handlers. */
type ServedSlice = SomePermissions & { endpoints: Group }

/** `slices`: the groups by the name of their slice, which the document shows as a tag. */
export type ApiFunction = FunctionDeclaration & { endpoints: Group; slices: Record<string, Group> }

const TIMEOUT_SECONDS = 20
/** Longer than a batch, and shorter than the 29 s that the gateway waits. */
const BATCH_TIMEOUT_SECONDS = 28

/** Adds what every API function may do, and what its endpoints imply: sending events, storing answers. */
export function api(served: Record<string, ServedSlice>, memoryMb = 1024): ApiFunction {
  const parts = Object.values(served)
  const slices = Object.fromEntries(Object.entries(served).map(([name, { endpoints }]) => [name, endpoints]))
  const endpoints: Group = Object.assign({}, ...Object.values(slices))
  const everywhere: SomePermissions = { reads: ['SETTINGS'], writes: ['LIMIT'], secrets: ['ClientKey'] }
  const permissions = permissionsOf(everywhere, ...parts, ...impliedBy(Object.values(endpoints), parts))
  const runsBatches = Object.values(endpoints).some(({ isBatch }) => isBatch)
  const timeoutSeconds = runsBatches ? BATCH_TIMEOUT_SECONDS : TIMEOUT_SECONDS
  return { ...permissions, memoryMb, timeoutSeconds, endpoints, slices }
}

function impliedBy(endpoints: Endpoint[], parts: SomePermissions[]): SomePermissions[] {
  const fires = endpoints.some(({ emits }) => emits.some(name => name !== TEST_EVENT))
  const sends = fires || parts.some(part => part.sends)
  const implied: [isImplied: boolean, permissions: SomePermissions][] = [
    [endpoints.some(authenticates), { reads: ['USER'] }],
    // A limit by log reads before it writes; a limit by window only writes.
    [endpoints.some(({ limit }) => limit.kind === 'log'), { reads: ['LIMIT'] }],
    // What is remembered of public content ends with its version, or when the next scheduled post is due.
    [endpoints.some(({ readsContent }) => readsContent), { reads: ['VERSION', 'SCHEDULED'] }],
    // A change of public content adds a row to the feed, at a place above that of the last row.
    [parts.some(({ writes }) => writes?.includes('VERSION')), { reads: ['VERSION'], puts: ['CHANGES'] }],
    // That no subscription wants an event is a condition of the change.
    [fires, { reads: ['SUBSCRIPTIONS'], sends: ['events'] }],
    // A message is written to the outbox in the transaction of its change, and deleted when it is sent.
    [sends, { writes: ['OUTBOX'] }],
    // The answer of a request with an Idempotency-Key is stored sealed.
    [endpoints.some(takesIdempotencyKey), { writes: ['IDEMPOTENCY'], secrets: ['PrivateKey'] }],
  ]
  return implied.flatMap(([isImplied, permissions]) => (isImplied ? permissions : []))
}

/** Whether the endpoint authenticates its caller, if only to let admins pass during maintenance. */
function authenticates({ ability, isOpenInMaintenance }: Endpoint): boolean {
  return ability !== null || !isOpenInMaintenance
}

/** A large text is written in chunks, and listed for the sweep until a record refers to it. */
export const LARGE_TEXTS: RecordKind[] = ['CHUNK', 'LEFTOVER']

/** Every list of a kind of record, as permissions name them: `listsOf(KINDS.POST)`. */
export function listsOf({ lists }: { lists: readonly ListName[] }): RecordKind[] {
  return lists.map((name): RecordKind => `LIST ${name}`)
}

/** The partition keys of a kind, with `*` for any id. A list has one; other kinds have one, or one an id. */
export function partitionsOf(kind: RecordKind): string[] {
  const [, list] = kind.split(' ')
  return list === undefined ? [kind, `${kind}#*`] : [listPartition(list)]
}
