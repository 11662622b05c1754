// Handlers of the site as a whole: health, settings and menus.
import { reply } from '../http/reply.ts'
import { isoTime } from '../http/time.ts'
import { handlersOf } from '../lambda/handler.ts'
import { removeMenu, saveMenu, saveSettings } from './commands.ts'
import { adminSite, site, system } from './contract.ts'
import { menuFrom } from './menu.ts'
import { publicSettings, settingItems } from './settings.ts'
import { getMenu, listMenus, readSettings } from './store.ts'

export const systemHandlers = handlersOf(system, {
  getHealth: async ({ environment, settings, work }) =>
    reply({
      status: settings['maintenance.enabled'] ? ('maintenance' as const) : ('ok' as const),
      api_version: 'v1' as const,
      cms_version: environment.SERVICE_VERSION,
      time: isoTime(work.nowSeconds),
    }),
})

export const siteHandlers = handlersOf(site, {
  getPublicSettings: async ({ content }) => reply(publicSettings(await readSettings(content.namesTable))),

  getMenu: async ({ params, content }) => reply(await getMenu(content.namesTable, params.location)),
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

  deleteMenu: ({ params, work }) => removeMenu(work, params.location),
})
