// Admin reads and writes of settings and menus.
import { noData, reply } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'
import { removeMenu, saveMenu } from '../shared/site/commands/menus.ts'
import { saveSettings } from '../shared/site/commands/settings.ts'
import { adminSite } from '../shared/site/contract.ts'
import { menuFrom } from '../shared/site/menu.ts'
import { settingItems } from '../shared/site/settings.ts'
import { getMenu, listMenus } from '../shared/site/store/menus.ts'
import { readSettings } from '../shared/site/store/settings.ts'

export const handler = serve(adminSite, {
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
