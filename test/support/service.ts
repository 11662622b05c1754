// The service of a world. Test files without options reuse it with an emptied table, because starting all
// functions takes longer than most tests.
import { isDeepStrictEqual } from 'node:util'
import { inject } from 'vitest'
import { connectLocally, openLocalTable } from '../../infra/local/dynamodb/table.ts'
import { capitalized } from '../../infra/names.ts'
import { QUEUE_NAMES, QUEUES, type QueueName } from '../../shared/events/message.ts'
import { saveSettings } from '../../shared/site/commands/settings.ts'
import type { SettingsChange } from '../../shared/site/settings.ts'
import { openTable } from '../../shared/table/client.ts'
import { counterKey, kindOf } from '../../shared/table/design.ts'
import type { Kind } from '../../shared/table/kinds.ts'
import { COUNTERS } from '../../shared/table/kinds.ts'
import { ALL_ENABLED } from './endpoints.ts'
import type { LocalRun } from './local-service.ts'
import { contentRaised } from './remembered.ts'
import { dumpOf } from './table.ts'
import { until } from './until.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether test files run in the same process one after another, so that they can reuse a service. */
    reusesServices: boolean
  }
}

/** `settings`: as the file before it left them; undefined if its tests changed them. */
type Idle = { service: LocalRun; settings: SettingsChange | undefined }
let idle: Idle | undefined
const settingsOf = new WeakMap<LocalRun, SettingsChange>()

/** Returns the service of an earlier test file, which looks like a new one, or starts one. */
export async function acquireService(
  start: () => Promise<LocalRun>,
  settings: SettingsChange = ALL_ENABLED,
): Promise<LocalRun> {
  const reused = idle
  idle = undefined
  // Functions remember settings for seconds.
  if (reused && isDeepStrictEqual(reused.settings, settings)) return reused.service
  const [service] = await Promise.all([start(), reused?.service.stop()])
  settingsOf.set(service, settings)
  const table = openLocalTable(service.dynamodbEndpoint, service.tableName)
  await Promise.all([saveSettings(table, settings), inject('reusesServices') && table.transact(HIGH_IDS)])
  return service
}

/** First ids that differ by kind, so that no test relies on 1, 2, 3 or mistakes a post's id for a user's. */
const HIGH_IDS = COUNTERS.map((kind, n) => ({
  Put: { Item: { ...counterKey(kind), last: (n + 1) * 10_000 } },
}))

/** Keeps the service for the next test file. Stops it after denied calls or if work is left. */
export async function releaseService(service: LocalRun): Promise<void> {
  const isHealthy = inject('reusesServices') && service.access.denied.length === 0
  if (isHealthy && (await becomesIdle(service))) {
    const { hasSameSettings } = await emptyTable(service)
    idle = { service, settings: hasSameSettings ? settingsOf.get(service) : undefined }
  } else {
    await service.stop()
  }
}

/** Whether all queues are empty, except for messages that come later, as those of scheduled posts. */
export function isIdle(service: LocalRun): boolean {
  return QUEUE_NAMES.every(name => isEmpty(service, name, false))
}

/** Whether the index worker has nothing to do either: its messages come two seconds after a change. */
export function isIndexed(service: LocalRun): boolean {
  return QUEUE_NAMES.every(name => isEmpty(service, name, QUEUES[name].isFifo))
}

/** Whether nothing will happen any more, except that the index worker may find nothing to do. */
function isOver(service: LocalRun): boolean {
  return QUEUE_NAMES.every(name => isEmpty(service, name, !QUEUES[name].isFifo))
}

function isEmpty(service: LocalRun, name: QueueName, countsDelayed: boolean): boolean {
  const { visible, inFlight, delayed } = service.queueDepth(`${capitalized(name)}Queue`)
  return visible + inFlight + (countsDelayed ? delayed : 0) === 0
}

const SETTLED_WITHIN_MS = 1_000
function becomesIdle(service: LocalRun): Promise<boolean> {
  return until('nothing to be left to do', () => isOver(service), SETTLED_WITHIN_MS).then(
    () => true,
    () => false,
  )
}

/** No id is used twice, and functions remember what they read until a version changes. */
const KEPT_KINDS: Kind[] = ['COUNTER', 'SETTINGS', 'VERSION']

async function emptyTable({ dynamodbEndpoint, tableName, mails }: LocalRun) {
  const client = connectLocally(dynamodbEndpoint)
  const items = await dumpOf(client, tableName)
  const keys = items.filter(({ pk }) => !isOf(KEPT_KINDS, pk)).map(({ pk, sk }) => ({ pk, sk }))
  const table = openTable(client, tableName)
  await table.removeMany(keys)
  await table.transact(contentRaised())
  client.destroy()
  mails.length = 0
  return { hasSameSettings: !items.some(({ pk, revision }) => isOf(['SETTINGS'], pk) && revision !== 1) }
}

function isOf(kinds: Kind[], pk: string): boolean {
  return kinds.some(kind => kind === kindOf(pk))
}
