// What a caller gets while the table fails: the right code, no more than that, and never a long wait.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { auth, me } from '../../shared/accounts/contract.ts'
import { createCategory } from '../../shared/categories/commands/create.ts'
import { adminCategories, categories } from '../../shared/categories/contract.ts'
import { listCategories } from '../../shared/categories/store/categories.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { reply } from '../../shared/http/reply.ts'
import { serve } from '../../shared/lambda/serve.ts'
import { site, system } from '../../shared/site/contract.ts'
import { getMenu } from '../../shared/site/store/menus.ts'
import type { Table } from '../../shared/table/client.ts'
import { withDeadline } from '../../shared/table/deadline.ts'
import { menuKey } from '../../shared/table/design.ts'
import { type Chain, openChain } from '../world/chain.ts'
import { lambdaContext, proxyEventOf } from '../world/proxy-event.ts'

let chain: Chain
let token: string
beforeAll(async () => {
  chain = await openChain()
  token = (await chain.user(['user', 'admin'])).token
})
afterAll(() => chain.stop())
beforeEach(() => chain.logged.splice(0))
afterEach(() => chain.repair())

function limitHeaders(headers: Record<string, string>) {
  return Object.keys(headers).filter(name => name.startsWith('X-RateLimit'))
}

/** Those who may be tried again for 8 s are it for a moment here. */
function hurried<T>(run: () => T): T {
  return withDeadline(run, 100)
}

function readCategories() {
  return chain.open(
    { listCategories: categories.listCategories },
    {
      listCategories: async ({ table }) =>
        reply((await listCategories(table)).map(one => ({ ...one, posts_count: 0 }))),
    },
  )
}

describe('a table that cannot count', () => {
  it('lets public reads go on, uncounted, and says so in the log', async () => {
    chain.fail({ mentions: 'LIMIT#', at: 'before', error: 'InternalServerError' })
    const { status, headers } = await readCategories()(categories.listCategories)
    expect(status).toBe(200)
    expect(limitHeaders(headers)).toEqual([])
    expect(chain.logged).toContainEqual(
      expect.objectContaining({ message: 'limiter failed', scope: 'public', open: true }),
    )
  })

  it('lets a user go on, too', async () => {
    chain.fail({ mentions: 'LIMIT#', at: 'before', error: 'InternalServerError' })
    const call = chain.open({ listTokens: me.listTokens }, { listTokens: async () => reply([]) })
    expect((await call(me.listTokens, { token })).status).toBe(200)
  })

  it('keeps everybody from logging in, before a password is looked at', async () => {
    chain.fail({ mentions: 'LIMIT#', at: 'before', error: 'InternalServerError' })
    let tries = 0
    const call = chain.open(
      { login: auth.login },
      {
        login: async () => {
          tries++
          throw new ApiError('INVALID_CREDENTIALS', 'No.')
        },
      },
    )
    const { status, code, headers } = await call(auth.login, {
      body: { email: 'a@b.example', password: 'x' },
    })
    expect([status, code, headers['Retry-After']]).toEqual([503, 'UNAVAILABLE', '5'])
    expect(tries).toBe(0)
  })

  it('makes the service unwell at once: health does not wait for a table that hangs', async () => {
    const call = chain.open(system, {
      getHealth: async () => reply({ status: 'ok', api_version: 'v1', cms_version: '1', time: '' }),
    })
    chain.clock.nowMs += 60_000
    chain.fail({ at: 'before', hangsMs: 600_000 })
    expect(await call(system.getHealth)).toMatchObject({ status: 503, code: 'UNAVAILABLE' })
    const deep = await call(system.getHealth, { query: { deep: '1' }, token })
    expect(deep).toMatchObject({ status: 503, code: 'UNAVAILABLE' })
    // The read that still hangs is no longer waited for by others.
    chain.clock.nowMs += 60_000
  })

  it('makes the service unwell', async () => {
    const call = chain.open(system, {
      getHealth: async () => reply({ status: 'ok', api_version: 'v1', cms_version: '1', time: '' }),
    })
    expect((await call(system.getHealth)).status).toBe(200)
    chain.fail({ at: 'before', error: 'InternalServerError' })
    expect(await call(system.getHealth)).toMatchObject({ status: 503, code: 'UNAVAILABLE' })
  })

  it('holds nobody up when it does not even fail', async () => {
    const longerThanTheTestMs = 600_000
    chain.fail({ mentions: 'LIMIT#', at: 'before', hangsMs: longerThanTheTestMs })
    expect((await readCategories()(categories.listCategories)).status).toBe(200)
  })
})

describe('a table that fails', () => {
  it('is busy: 503, and soon again', async () => {
    chain.fail({ operation: 'Query', at: 'before', error: 'ThrottlingException' })
    const { status, code, headers } = await hurried(() => readCategories()(categories.listCategories))
    expect([status, code, headers['Retry-After']]).toEqual([503, 'UNAVAILABLE', '1'])
  })

  it('hangs: 503 when its time is over', async () => {
    chain.fail({ operation: 'Query', at: 'before', error: 'TimeoutError' })
    expect(await hurried(() => readCategories()(categories.listCategories))).toMatchObject({ status: 503 })
  })

  it('fails in a way that nobody foresaw: 500 without a word of it, and all of it in the log', async () => {
    chain.fail({ operation: 'Query', at: 'before', error: 'ValidationException' })
    const ask = { headers: { 'X-Request-Id': 'unforeseen' } }
    const { status, code, text, headers } = await readCategories()(categories.listCategories, ask)
    expect([status, code, headers['X-Request-Id']]).toEqual([500, 'INTERNAL_ERROR', 'unforeseen'])
    expect(text).not.toContain('ValidationException')
    expect(headers).toMatchObject({ 'Cache-Control': 'no-store', 'X-RateLimit-Limit': '60' })
    expect(chain.logged).toContainEqual(
      expect.objectContaining({
        level: 'error',
        request_id: 'unforeseen',
        error: expect.stringContaining('ValidationException'),
      }),
    )
  })

  it('cannot note that a token was used: the answer is none the worse', async () => {
    const fresh = await chain.user(['user'])
    chain.fail({ mentions: 'last_used_at', at: 'before', error: 'ValidationException' })
    const call = chain.open({ listTokens: me.listTokens }, { listTokens: async () => reply([]) })
    expect((await call(me.listTokens, { token: fresh.token })).status).toBe(200)
    expect(chain.logged).toContainEqual(
      expect.objectContaining({
        message: 'a side task failed',
        error: expect.stringContaining('ValidationException'),
      }),
    )
  })

  it('loses the answer to a write: it is asked again, and there is one', async () => {
    chain.fail({ operation: 'TransactWriteItems', at: 'after', error: 'TimeoutError', times: 1 })
    const call = chain.open(
      { createCategory: adminCategories.createCategory },
      { createCategory: ({ body, work }) => createCategory(work, body) },
    )
    const name = 'Answer lost'
    expect((await call(adminCategories.createCategory, { token, body: { name } })).status).toBe(201)
    const kept = await listCategories(chain.table)
    expect(kept.filter(category => category.name === name)).toHaveLength(1)
  })
})

describe('a record that keeps changing while it is read', () => {
  it('gives 503 UNAVAILABLE with Retry-After, and a line in the log', async () => {
    const Item = { ...menuKey('main'), revision: 1, answer_bytes: 0 }
    await chain.table.transact([{ Put: { Item } }])
    const getMenuOf = async ({ table }: { table: Table }) => reply(await getMenu(table, 'main'))
    const call = chain.open({ getMenu: site.getMenu }, { getMenu: getMenuOf })
    const { status, code, headers } = await call(site.getMenu, { params: { location: 'main' } })
    expect([status, code, headers['Retry-After']]).toEqual([503, 'UNAVAILABLE', '1'])
    const error = expect.stringContaining('The menu kept changing while it was read. Try again.')
    expect(chain.logged).toContainEqual(expect.objectContaining({ message: 'unexpected failure', error }))
  })
})

describe('a function that cannot be set up', () => {
  it('fails with the first error as the headline, and not with what came of it', async () => {
    const openRuntime = () => {
      throw new Error('SITE_URL is no URL.')
    }
    const handlers = { listTokens: async () => reply([]) }
    const broken = serve({ listTokens: me.listTokens }, handlers, { openRuntime })
    const event = proxyEventOf(me.listTokens, { token })
    await expect(broken(event, lambdaContext())).rejects.toThrow(/^SITE_URL is no URL\.$/)
  })
})

describe('a function whose time runs out', () => {
  it('is ended by Lambda and not by itself: what it writes is answered for', async () => {
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
