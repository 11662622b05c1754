// Health, and the answer to every path and method that nobody declared.
import { reply } from '../shared/http/reply.ts'
import { isoTime } from '../shared/http/time.ts'
import { serve } from '../shared/lambda/serve.ts'
import { system } from '../shared/site/contract.ts'

export const handler = serve(system, {
  getHealth: async ({ environment, settings, work }) =>
    reply({
      status: settings['maintenance.enabled'] ? ('maintenance' as const) : ('ok' as const),
      api_version: 'v1' as const,
      cms_version: environment.SERVICE_VERSION,
      time: isoTime(work.nowSeconds),
    }),
})
