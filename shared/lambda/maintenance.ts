// While the site is in maintenance only admins go through; health, login and logout stay open.
import { ApiError } from '../http/errors.ts'
import { type Settings, settingsFrom } from '../site/settings.ts'
import { currentSettings, lastSettings } from '../site/store/settings.ts'
import { findCaller } from './authenticate.ts'
import { contextOf, type RequestContext } from './request-context.ts'
import { within } from './within.ts'

const RETRY_AFTER_SECONDS = 60
/** Of an endpoint that answers quickly or not at all. */
const QUICK_MS = 300
const DEFAULT_MESSAGE = 'The site is in maintenance.'

export function maintenance() {
  const maintenanceBefore = async ({ event }: { event: object }): Promise<void> => {
    const exchange = contextOf(event)
    exchange.settings = await readSettings(exchange)
    if (!exchange.settings['maintenance.enabled'] || exchange.route?.endpoint.isOpenInMaintenance) return
    const caller = await findCaller(exchange)
    if (caller?.actor.abilities.includes('admin') && !caller.isBanned) return
    throw new ApiError('MAINTENANCE_MODE', exchange.settings['maintenance.message'] || DEFAULT_MESSAGE, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  }
  return { before: maintenanceBefore }
}

/** When they cannot be read, requests go on by the defaults: what follows fails or not by itself. */
async function readSettings({ runtime, nowMs, requestId, route }: RequestContext): Promise<Settings> {
  try {
    const reading = currentSettings(runtime.table, nowMs)
    return await (route?.endpoint.isQuick ? within(QUICK_MS, reading) : reading)
  } catch (error) {
    runtime.log('error', 'settings could not be read', { request_id: requestId, problem: String(error) })
    return lastSettings() ?? settingsFrom({})
  }
}
