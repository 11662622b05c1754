// The service of a world. Files that want nothing special of it hand it on to each other with an emptied table, since
// what a file takes longest for is that each function starts and runs its first calls.
import { setTimeout as pause } from 'node:timers/promises'
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb'
import { inject } from 'vitest'
import { clientOf } from '../../infra/local/account.ts'
import { openLocalTable, PATIENT } from '../../infra/local/dynamodb/local-table.ts'
import type { LocalService } from '../../infra/local/hang-up.ts'
import { capitalized } from '../../infra/names.ts'
import { QUEUES } from '../../shared/events/message.ts'
import { connect } from '../../shared/table/connect.ts'
import { counterKey, kindOf } from '../../shared/table/design.ts'
import type { Kind } from '../../shared/table/kinds.ts'
import { COUNTED } from '../../shared/table/next-id.ts'
import { dumpOf } from './table.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether files run in one process after another, so that there is somebody to hand a service on to. */
    handsOn: boolean
  }
}

const SETTLED_WITHIN_MS = 1_000
const AT_ONCE = 25

let spare: LocalService | undefined

/** One that was handed on, which looks like a new one, or a new one. */
export const takeService = async (hangUp: () => Promise<LocalService>): Promise<LocalService> => {
  const taken = spare
  spare = undefined
  if (taken) return taken
  const service = await hangUp()
  if (inject('handsOn')) await countFrom(service, FIRST_ID)
  return service
}

/** No test may take its ids for 1, 2 and 3, which they would be for the first file alone. */
const FIRST_ID = 1_001
const countFrom = async ({ dynamodbEndpoint, tableName }: LocalService, first: number): Promise<void> => {
  const table = openLocalTable(dynamodbEndpoint, tableName)
  await table.transact(COUNTED.map(kind => ({ Put: { Item: { ...counterKey(kind), last: first - 1 } } })))
}

/** Keeps it for the next file, or stops it: where work is left, or functions still go by settings of this file. */
export const handOn = async (service: LocalService): Promise<void> => {
  const isFit = inject('handsOn') && (await settles(service)) && (await empty(service))
  if (isFit) spare = service
  else await service.stop()
}

/** Whether every message was taken and done; `late`: also those that nobody may take yet. */
export const isQuiet = (service: LocalService, { late = false } = {}): boolean =>
  Object.keys(QUEUES).every(name => {
    const { visible, inFlight, delayed } = service.queueDepth(`${capitalized(name)}Queue`)
    return visible + inFlight + (late ? delayed : 0) === 0
  })

const settles = async (service: LocalService): Promise<boolean> => {
  const deadline = performance.now() + SETTLED_WITHIN_MS
  while (!isQuiet(service, { late: true })) {
    if (performance.now() > deadline) return false
    await pause(10)
  }
  return true
}

/** Functions keep settings for seconds and profiles for a minute, by ids: none is given twice, as counters stay. */
const KEPT: Kind = 'COUNTER'
const UNFIT: Kind = 'SETTINGS'

/** False, and nothing done, where it would not be as new. */
const empty = async ({ dynamodbEndpoint, tableName, mails }: LocalService): Promise<boolean> => {
  const client = connect({ ...clientOf(dynamodbEndpoint), requestHandler: PATIENT })
  const keys = (await dumpOf(client, tableName)).map(({ pk, sk }) => ({ pk, sk }))
  if (keys.some(({ pk }) => kindOf(pk) === UNFIT)) return false
  const gone = keys.filter(({ pk }) => kindOf(pk) !== KEPT)
  for (let n = 0; n < gone.length; n += AT_ONCE) {
    const requests = gone.slice(n, n + AT_ONCE).map(Key => ({ DeleteRequest: { Key } }))
    await client.send(new BatchWriteCommand({ RequestItems: { [tableName]: requests } }))
  }
  mails.length = 0
  client.destroy()
  return true
}
