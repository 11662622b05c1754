// Public reads of the site: its settings and its menus.
import { reply } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'
import { site } from '../shared/site/contract.ts'
import { publicSettings } from '../shared/site/settings.ts'
import { getMenu } from '../shared/site/store/menus.ts'
import { readSettings } from '../shared/site/store/settings.ts'

export const handler = serve(site, {
  getPublicSettings: async ({ content }) => reply(publicSettings(await readSettings(content.names))),

  getMenu: async ({ params, content }) => reply(await getMenu(content.names, params.location)),
})
