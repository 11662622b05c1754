// Two endpoints behind the limiter, a public one and one for users, and the limit headers of their answers.
import { me } from '../../shared/accounts/contract.ts'
import { categories } from '../../shared/categories/contract.ts'
import { reply } from '../../shared/http/reply.ts'
import { openChain, type Result } from '../support/chain.ts'

type ReadOptions = { method?: string; headers?: Record<string, string> }

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
    read: (sourceIp: string, options?: ReadOptions): Promise<Result> =>
      call(listCategories, { sourceIp, ...options }),
    readMine: (token: string | undefined, sourceIp = '198.51.100.200'): Promise<Result> =>
      call(listTokens, { sourceIp, ...(token !== undefined && { token }) }),
    /** The number of requests that reached a handler since `forget`. */
    handled: () => handled,
    forget: () => {
      handled = 0
    },
  }
}

export type Limits = Awaited<ReturnType<typeof openLimits>>

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
