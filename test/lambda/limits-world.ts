// Two endpoints behind the limiter, a public one and one for users, and the limit headers of their answers.
import { me } from '../../shared/accounts/contract.ts'
import { categories } from '../../shared/categories/contract.ts'
import type { Ability } from '../../shared/http/audience.ts'
import { reply } from '../../shared/http/reply.ts'
import { openChain, type Result } from '../support/chain.ts'
import { createToken } from '../support/create.ts'

export async function openLimits() {
  const chain = await openChain()
  let handled = 0
  const handle = async () => {
    handled++
    return reply([])
  }
  const { listCategories } = categories
  const { listTokens } = me
  const call = chain.open({ listCategories, listTokens }, { listCategories: handle, listTokens: handle })
  return {
    ...chain,
    read: (sourceIp: string, headers: Record<string, string> = {}) =>
      call(listCategories, { sourceIp, headers }),
    readMine: (token: string, sourceIp = '198.51.100.200') => call(listTokens, { sourceIp, token }),
    /** Another token of a user. */
    newTokenOf: (userId: number, abilities: Ability[]) =>
      createToken(chain.plain, userId, abilities, Math.floor(chain.clock.nowMs / 1000)),
    /** The number of requests that reached a handler since `forget`. */
    handled: () => handled,
    forget: () => {
      handled = 0
    },
  }
}

export function limitHeadersOf({ headers }: Result) {
  return ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'].map(
    name => headers[name],
  )
}

/** Runs the calls one after another. */
export async function repeat<T>(count: number, run: () => Promise<T>): Promise<T[]> {
  const results = []
  for (let n = 0; n < count; n++) results.push(await run())
  return results
}
