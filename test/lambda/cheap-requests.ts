// Compares the CPU time of hostile requests with that of publishing a post with a plain body.
import { expect } from 'vitest'
import { MAX_TEXT_BYTES } from '../../shared/search/index-actions.ts'
import { comparedTo } from '../world/cpu-ratio.ts'
import { endpointOf } from '../world/endpoints.ts'
import type { FullChain } from '../world/full-chain.ts'

/** Of the longest text that a request splits into words; longer ones are left to the index worker. */
export const LONGEST_TOKENIZED = MAX_TEXT_BYTES
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
  const timesPlain = comparedTo(() => publishMs(PLAIN.repeat(LONGEST_TOKENIZED / PLAIN.length)))

  /** `send` returns the CPU time of a request; it is sent again if it took too long. */
  const expectCheap = async (send: () => Promise<number>, kind?: string): Promise<void> => {
    expect(await timesPlain(send, MOST_TIMES), kind).toBeLessThanOrEqual(MOST_TIMES)
  }
  return { publishMs, expectCheap }
}
