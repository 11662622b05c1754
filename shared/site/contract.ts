// The site as a whole: is it well?
import { z } from 'zod'
import { AUDIENCE_LIMITS } from '../http/audience.ts'
import { endpoint } from '../http/endpoint.ts'
import { Time } from '../http/time.ts'

export const system = {
  getHealth: endpoint({
    method: 'GET',
    path: '/api/v1/health',
    summary: 'Whether the service is well',
    message: 'The service is up.',
    isCacheable: false,
    // That it counts is all it asks of the table: where that fails, the service is not well.
    limit: { ...AUDIENCE_LIMITS.public, failClosed: true },
    data: z.object({
      status: z.enum(['ok', 'maintenance']),
      api_version: z.literal('v1'),
      cms_version: z.string(),
      time: Time,
    }),
  }),
}
