// Handlers of the site as a whole: health, settings and menus.
import { findLastRun, listLeftRows } from '../events/sweep-outbox.ts'
import { noData, reply } from '../http/reply.ts'
import { isoTime } from '../http/time.ts'
import { handlersOf } from '../lambda/handler.ts'
import { within } from '../lambda/run.ts'
import { type Runtime, runtime } from '../runtime/runtime.ts'
import { removeMenu, saveMenu } from './commands/menus.ts'
import { saveSettings } from './commands/settings.ts'
import { adminSite, site, system } from './contract.ts'
import { checksOf, isWell, type Measurements } from './health.ts'
import { menuFrom } from './menu.ts'
import { publicSettings, settingItems } from './settings.ts'
import { getMenu, listMenus } from './store/menus.ts'
import { readSettings } from './store/settings.ts'

export const systemHandlers = handlersOf(system, {
  getHealth: async ({ query, environment, settings, work }) => {
    const checks = query.deep ? checksOf(await measureHealth(runtime(), work.nowMs)) : undefined
    const status = settings['maintenance.enabled'] ? ('maintenance' as const) : ('ok' as const)
    return reply({
      status: checks && !isWell(checks) ? ('degraded' as const) : status,
      api_version: 'v1' as const,
      cms_version: environment.SERVICE_VERSION,
      time: isoTime(work.nowSeconds),
      ...(checks && { checks }),
    })
  },
})

export const siteHandlers = handlersOf(site, {
  getPublicSettings: async ({ content }) => reply(publicSettings(await readSettings(content.names))),

  getMenu: async ({ params, content }) => reply(await getMenu(content.names, params.location)),
})

export const adminSiteHandlers = handlersOf(adminSite, {
  listSettings: async ({ query, table }) => reply(settingItems(await readSettings(table), query.group)),

  changeSettings: async ({ body, table, work }) =>
    reply(settingItems(await saveSettings(table, body, work.clock))),

  listMenus: async ({ table }) => reply(await listMenus(table)),

  getMenu: async ({ params, table }) => reply(await getMenu(table, params.location)),

  putMenu: async ({ params, body, work }) => {
    const menu = menuFrom(params.location, body)
    await saveMenu(work, menu)
    return reply(menu)
  },

  deleteMenu: async ({ params, work }) => {
    await removeMenu(work, params.location)
    return noData()
  },
})

const TIMEOUT_MS = 800

async function measureHealth({ table, log }: Runtime, nowMs: number): Promise<Measurements> {
  const measure = async <T>(part: string, work: Promise<T>): Promise<T | undefined> => {
    try {
      return await within(TIMEOUT_MS, work)
    } catch (error) {
      log('warn', 'a part of the service is not well', { part, problem: String(error) })
      return undefined
    }
  }
  const startedMs = performance.now()
  const reading = readSettings(table).then(() => Math.round(performance.now() - startedMs))
  const [tableMs, sweep, outbox] = await Promise.all([
    measure('table', reading),
    measure(
      'sweep',
      findLastRun(table).then(lastRunMs => ({ lastRunMs })),
    ),
    measure('outbox', listLeftRows(table, nowMs)),
  ])
  return {
    nowMs,
    tableMs,
    sweep,
    outbox: outbox && { oldestMs: outbox[0]?.sinceMs, waiting: outbox.length },
  }
}
