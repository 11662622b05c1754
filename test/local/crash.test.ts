// A function of the synthesized stack crashes during a request.
import { describe, expect, inject, it } from 'vitest'
import { runStack } from '../../infra/local/run-stack.ts'
import { use } from '../world/use.ts'

const service = use(() =>
  runStack({
    assembly: inject('assembly'),
    clock: false,
    mostThreads: 1,
    interceptors: [
      (call, next, crash) => {
        crash(call.session)
        return next(call)
      },
    ],
  }),
)

describe('GET /api/v1/posts', () => {
  it('returns 503 UNAVAILABLE with Retry-After when its function crashes', async () => {
    const response = await fetch(`${service.baseUrl}/api/v1/posts`)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2'])
    expect(await response.json()).toMatchObject({ success: false, errors: { code: 'UNAVAILABLE' } })
  })
})
