// The site as a whole: is it well?
import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { Time } from '../http/time.ts'

export const system = {
  getHealth: endpoint({
    method: 'GET',
    path: '/api/v1/health',
    summary: 'Whether the service is well',
    message: 'The service is up.',
    isCacheable: false,
    data: z.object({
      status: z.enum(['ok', 'maintenance']),
      api_version: z.literal('v1'),
      cms_version: z.string(),
      time: Time,
    }),
  }),
}
