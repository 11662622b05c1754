// A function of the synthesized stack crashes during a request.
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { LocalService } from '../../infra/local/local-service.ts'
import { runStack } from '../../infra/local/run-stack.ts'

let service: LocalService
beforeAll(async () => {
  service = await runStack({
    assembly: inject('assembly'),
    clock: false,
    mostWorkers: 1,
    interceptors: [
      (call, next, crash) => {
        crash(call.session)
        return next(call)
      },
    ],
  })
})
afterAll(() => service.stop())

describe('GET /posts', () => {
  it('returns 503 UNAVAILABLE with Retry-After when its function crashes', async () => {
    const response = await fetch(`${service.baseUrl}/api/v1/posts`)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2'])
    expect(await response.json()).toMatchObject({ success: false, errors: { code: 'UNAVAILABLE' } })
  })
})
