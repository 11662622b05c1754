// A function that cannot start, one that Lambda is about to end, and one that fires what it does not declare.
import { beforeAll, describe, expect, it } from 'vitest'
import { auth, me } from '../../shared/accounts/contract.ts'
import { EVENTS } from '../../shared/events/catalogue.ts'
import { noData, reply } from '../../shared/http/reply.ts'
import { handlersOf } from '../../shared/lambda/handler.ts'
import { serve } from '../../shared/lambda/serve.ts'
import { setRuntime } from '../../shared/runtime/runtime.ts'
import { openChain } from '../support/chain.ts'
import { lambdaContext, proxyEventOf } from '../support/proxy-event.ts'
import { use } from '../support/use.ts'

const chain = use(openChain)
let token: string
beforeAll(async () => {
  token = (await chain.user(['user'])).token
})

describe('a function whose runtime cannot be created', () => {
  it('fails with the original error and not with its consequences', async () => {
    const handlers = { listTokens: async () => reply([]) }
    const broken = serve(handlersOf({ listTokens: me.listTokens }, handlers))
    const event = proxyEventOf(me.listTokens, { token })
    setRuntime(undefined)
    await expect(broken(event, lambdaContext())).rejects.toThrow(/^The environment .* cannot be used/)
  })
})

describe('a function whose time is almost over', () => {
  it('continues until Lambda ends it, so that a committed change is answered', async () => {
    const call = chain.open(
      { listTokens: me.listTokens },
      {
        listTokens: async () => {
          await new Promise(resolve => setTimeout(resolve, 60))
          return reply([])
        },
      },
    )
    expect((await call(me.listTokens, { token }, 20)).status).toBe(200)
  })
})

describe('a function that fires an event that its endpoint does not declare', () => {
  it('fails before anything is written', async () => {
    const quiet = { logOut: auth.logout }
    const call = chain.open(quiet, {
      logOut: async ({ work }) => {
        const data = EVENTS['contact.submitted'].sample
        await work.commit({ actions: [], events: [{ event: 'contact.submitted', data }] })
        return noData()
      },
    })
    chain.sent.length = 0
    expect((await call(auth.logout, { token })).status).toBe(500)
    expect(chain.sent).toEqual([])
    expect(chain.logged.at(-2)?.error).toContain('fires contact.submitted: add it to `emits`')
  })
})
