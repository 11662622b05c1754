// Health, and the 404 for every path and method without an endpoint.
import { reply } from '../shared/http/reply.ts'
import { isoTime } from '../shared/http/time.ts'
import { measureHealth } from '../shared/lambda/measure-health.ts'
import { serve } from '../shared/lambda/serve.ts'
import { runtime } from '../shared/runtime/runtime.ts'
import { system } from '../shared/site/contract.ts'
import { checksOf, isWell } from '../shared/site/health.ts'

export const handler = serve(system, {
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
