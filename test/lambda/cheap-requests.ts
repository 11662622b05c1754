// Compares the CPU time of hostile requests with that of publishing a post with a plain body.
import { expect } from 'vitest'
import { comparedTo } from '../support/cpu-ratio.ts'
import { endpointOf } from '../support/endpoints.ts'
import type { FullChain } from '../support/full-chain.ts'

/** Of a very long text. A request may have four times as much. */
export const LONG_TEXT = 500_000
const MOST_TIMES = 5
const PLAIN = 'plain words '

export function cheapRequests(chain: FullChain) {
  /** The CPU time in which a post with this body is published. */
  const publishMs = async (body: string): Promise<number> => {
    const post = { title: 'Title', body, is_published: true }
    const { status, cpuMs } = await chain.send(endpointOf('POST /api/v1/admin/posts'), { body: post })
    expect(status).toBe(201)
    return cpuMs
  }
  const timesPlain = comparedTo(() => publishMs(PLAIN.repeat(LONG_TEXT / PLAIN.length)))

  /** `send` returns the CPU time of a request; it is sent again if it took too long. */
  const expectCheap = async (send: () => Promise<number>, kind?: string): Promise<void> => {
    expect(await timesPlain(send, MOST_TIMES), kind).toBeLessThanOrEqual(MOST_TIMES)
  }
  return { publishMs, expectCheap }
}
