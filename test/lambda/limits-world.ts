// Two endpoints behind the limiter, one for all and one for users, and what their answers say of it.
import { me } from '../../shared/accounts/contract.ts'
import { categories } from '../../shared/categories/contract.ts'
import { reply } from '../../shared/http/reply.ts'
import { openChain, type Result } from '../world/chain.ts'

type Asked = { method?: string; headers?: Record<string, string> }

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
    read: (sourceIp: string, asked?: Asked): Promise<Result> => call(listCategories, { sourceIp, ...asked }),
    readMine: (token: string | undefined, sourceIp = '198.51.100.200'): Promise<Result> =>
      call(listTokens, { sourceIp, ...(token !== undefined && { token }) }),
    /** How many requests reached their handler since `forget`. */
    handled: () => handled,
    forget: () => {
      handled = 0
    },
  }
}

export type Limits = Awaited<ReturnType<typeof openLimits>>

export function told({ headers }: Result) {
  return ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'].map(
    name => headers[name],
  )
}

/** One after the other. */
export async function times<T>(count: number, run: () => Promise<T>): Promise<T[]> {
  const results = []
  for (let n = 0; n < count; n++) results.push(await run())
  return results
}
