// Reads the settings for all later steps. In maintenance only admins pass; health, login and logout
// stay open.
import { ApiError } from '../http/errors.ts'
import { type Settings, settingsFrom } from '../site/settings.ts'
import { currentSettings, lastSettings, readSettings } from '../site/store/settings.ts'
import { findCaller } from './authenticate.ts'
import type { Step } from './chain.ts'
import type { RequestContext, WithContent, WithRoute, WithSettings, WithToken } from './request-context.ts'
import { within } from './within.ts'

const RETRY_AFTER_SECONDS = 60
/** For a quick endpoint, which answers within a second. */
const QUICK_TIMEOUT_MS = 300
const DEFAULT_MESSAGE = 'The site is in maintenance.'

type Needs = RequestContext & WithRoute & WithToken & WithContent

export function maintenance(): Step<Needs, WithSettings> {
  const maintenanceBefore = async (context: Needs): Promise<WithSettings> => {
    const settings = await findSettings(context)
    if (!settings['maintenance.enabled'] || context.route.endpoint.isOpenInMaintenance) return { settings }
    const caller = await findCaller({ ...context, settings })
    if (caller?.actor.abilities.includes('admin') && !caller.isBanned) return { settings }
    throw new ApiError('MAINTENANCE_MODE', settings['maintenance.message'] || DEFAULT_MESSAGE, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }
  return { before: maintenanceBefore }
}

/** If the settings cannot be read, the last known or the default ones apply. */
async function findSettings({ runtime, nowMs, requestId, route, openContent }: Needs): Promise<Settings> {
  try {
    const read = async () => readSettings((await openContent()).names)
    const reading = currentSettings(runtime.table, nowMs, read)
    return await (route.endpoint.isQuick ? within(QUICK_TIMEOUT_MS, reading) : reading)
  } catch (error) {
    runtime.log('error', 'settings could not be read', { request_id: requestId, problem: String(error) })
    return lastSettings(runtime.table) ?? settingsFrom({})
  }
}
