// Compares the CPU time of hostile requests with that of publishing a post with a plain body.
import { expect } from 'vitest'
import { comparedTo } from '../support/cpu-ratio.ts'
import { endpointOf } from '../support/endpoints.ts'
import type { FullChain } from '../support/full-chain.ts'
import { fullBodyOf, pathsIn, WITH_BODY } from '../support/valid-bodies.ts'

/** The length of a very long text: a quarter of what a request may have. */
export const LONG_TEXT = 500_000
/** How many times the CPU time of the plain post a hostile request may take. */
const MOST_TIMES = 5
const PLAIN = 'plain words '

/** The members of all bodies whose value matches, in nested objects and arrays as well. */
export function membersWhose(matches: (value: unknown) => boolean) {
  return WITH_BODY.flatMap(({ name, endpoint }) =>
    pathsIn(fullBodyOf(endpoint), matches).map(path => ({ name, endpoint, path, member: path.join('.') })),
  )
}

export function cheapRequests(chain: FullChain) {
  /** Returns the CPU time of publishing a post with this body. */
  const publishMs = async (body: string): Promise<number> => {
    const post = { title: 'Title', body, is_published: true }
    const { status, cpuMs } = await chain.send(endpointOf('POST /api/v1/admin/posts'), { body: post })
    expect(status).toBe(201)
    return cpuMs
  }
  const timesPlain = comparedTo(() => publishMs(PLAIN.repeat(LONG_TEXT / PLAIN.length)))

  /** `send` sends a request and returns its CPU time. It is called again if the request took too long. */
  const expectCheap = async (send: () => Promise<number>, kind?: string): Promise<void> => {
    expect(await timesPlain(send, MOST_TIMES), kind).toBeLessThanOrEqual(MOST_TIMES)
  }
  return { publishMs, expectCheap }
}
