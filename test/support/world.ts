// Runs a whole service for one test file: all functions in this process, with an owner and no content.
import { openLocalTable } from '../../infra/local/dynamodb/table.ts'
import { seed } from '../../infra/local/seed.ts'
import { capitalized } from '../../infra/names.ts'
import { findUserIdByEmail } from '../../shared/accounts/store/users.ts'
import { QUEUE_NAMES, QUEUES, type QueueName } from '../../shared/events/message.ts'
import { ABILITIES } from '../../shared/http/audience.ts'
import { saveSettings } from '../../shared/site/commands.ts'
import type { SettingsChange } from '../../shared/site/settings.ts'
import { counterKey } from '../../shared/table/design.ts'
import { COUNTERS } from '../../shared/table/kinds.ts'
import { callAt } from './call.ts'
import { createToken, creatorsIn, OWNER_PASSWORD } from './create.ts'
import { ALL_ENABLED } from './endpoints.ts'
import { runService } from './local-service.ts'
import { mailIn } from './mail.ts'
import { recordPermissions } from './permissions.ts'
import { until } from './until.ts'
import { use } from './use.ts'

type WorldOptions = {
  /** Variables of the functions, such as LIMIT_SCALE. */
  environment?: Record<string, string>
  /** Settings to change before the first request. Without any option, guests may comment. */
  settings?: SettingsChange
  /** Begins ids with 1, and changes no other settings. */
  isNew?: true
}

/** First ids that differ by kind, so that no test relies on 1, 2, 3 or mistakes a post's id for a user's. */
const HIGH_IDS = COUNTERS.map((kind, n) => ({
  Put: { Item: { ...counterKey(kind), last: (n + 1) * 10_000 } },
}))

const SETTLES_WITHIN_MS = 1_000

/** Opens a world for all tests of a file. */
export function useWorld(options?: WorldOptions): World {
  return use(() => openWorld(options))
}

/** Rate limits are high unless a test lowers them. Schedules run only by `runSchedule('sweep')`. */
export async function openWorld({ environment, isNew, settings }: WorldOptions = {}) {
  const service = await runService({
    environment: { LIMIT_SCALE: '10000', ALLOW_LOOPBACK_WEBHOOKS: 'true', ...environment },
    hasClock: false,
  })
  const table = openLocalTable(service.dynamodbEndpoint, service.tableName)
  const isUsual = !isNew && !environment
  if (isUsual) await table.transact(HIGH_IDS)
  if (isUsual || settings) await saveSettings(table, settings ?? ALL_ENABLED)
  const { baseUrl } = service
  const seeded = await seed({
    table,
    owner: { ...service.secrets.owner, password: OWNER_PASSWORD },
    first: true,
  })
  const owner = { ...seeded, id: (await findUserIdByEmail(table, seeded.email)) ?? 0 }
  const call = callAt(baseUrl)

  let count = 0
  const unique = (word: string) => `${word} ${++count}`
  /** The owner's token, with all abilities. */
  const admin = await createToken(table, owner.id, [...ABILITIES])
  const create = creatorsIn({ table, call, admin, unique })

  const mailTo = mailIn(service.mails)
  /** `countsDelayed`: whether messages that come later count, as those of scheduled posts. */
  const areEmpty = (countsDelayed: (name: QueueName) => boolean) =>
    QUEUE_NAMES.every(name => {
      const { visible, inFlight, delayed } = service.queueDepth(`${capitalized(name)}Queue`)
      return visible + inFlight + (countsDelayed(name) ? delayed : 0) === 0
    })
  const stop = async () => {
    // Work that follows the last requests uses permissions, too.
    const isOver = () => areEmpty(name => !QUEUES[name].isFifo)
    await until('nothing to be left to do', isOver, SETTLES_WITHIN_MS).catch(() => undefined)
    const { access } = service
    await service.stop()
    await recordPermissions(access)
  }
  return {
    ...service,
    /** A permission by its name, such as `fan-out: sends events`. */
    hasUsed: (permission: string) => service.access.used.has(permission),
    table,
    owner,
    admin,
    call,
    create,
    unique,
    mailTo,
    /** Whether all queues are empty, except for messages that come later. */
    isIdle: () => areEmpty(() => false),
    /** Whether the index worker has nothing to do either: its messages come two seconds after a change. */
    isIndexed: () => areEmpty(name => QUEUES[name].isFifo),
    stop,
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>
