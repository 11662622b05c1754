// Runs a whole service for one test file: the synthesized stack in memory, with an owner and no content.
import { openLocalTable } from '../../infra/local/dynamodb/table.ts'
import { seed } from '../../infra/local/seed.ts'
import { findUserIdByEmail } from '../../shared/accounts/store/users.ts'
import { ABILITIES } from '../../shared/http/audience.ts'
import { saveSettings } from '../../shared/site/commands/settings.ts'
import type { SettingsChange } from '../../shared/site/settings.ts'
import { callAt } from './call.ts'
import { createToken, creatorsIn, hashOnce, OWNER_PASSWORD } from './create.ts'
import { runService } from './local-service.ts'
import { mailIn } from './mail.ts'
import { recordPermissions } from './permissions.ts'
import { acquireService, isIdle, isIndexed, releaseService } from './service.ts'
import { use } from './use.ts'

type WorldOptions = {
  /** Variables of the functions, such as LIMIT_SCALE. */
  environment?: Record<string, string>
  /** Settings to change before the first request. Without this option, guests may comment. */
  settings?: SettingsChange
  log?: (line: string) => void
  /** Starts a service that no test file has used, so that ids begin with 1. */
  isNew?: true
}

/** Opens a world for all tests of a file. */
export function useWorld(options?: WorldOptions): World {
  return use(() => openWorld(options))
}

/** Rate limits are high unless a test lowers them. Schedules run only by `runSchedule('sweep')`. */
export async function openWorld({ settings, ...options }: WorldOptions = {}) {
  const hasOptions = Object.keys(options).length > 0
  const service = await (hasOptions ? openRun(options) : acquireService(openRun, settings))
  const table = openLocalTable(service.dynamodbEndpoint, service.tableName)
  if (hasOptions && settings) await saveSettings(table, settings)
  const { baseUrl } = service
  const seeded = await seed({
    table,
    owner: { ...service.secrets.owner, password: OWNER_PASSWORD },
    passwordHash: await hashOnce(OWNER_PASSWORD),
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
  const stop = async () => {
    const { access } = service
    await (hasOptions ? service.stop() : releaseService(service))
    await recordPermissions(access)
  }
  return {
    ...service,
    table,
    owner,
    admin,
    call,
    create,
    unique,
    mailTo,
    isIdle: () => isIdle(service),
    isIndexed: () => isIndexed(service),
    stop,
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>

function openRun({ environment, ...options }: Omit<WorldOptions, 'settings' | 'isNew'> = {}) {
  return runService({
    environment: { LIMIT_SCALE: '10000', MAIL_SENDER: 'content@localhost', ...environment },
    allowLoopbackWebhooks: true,
    hasClock: false,
    ...options,
  })
}
