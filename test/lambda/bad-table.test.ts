// Answers while the table fails: the right code, no details, and no long wait.
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { auth, me } from '../../shared/accounts/contract.ts'
import { categories } from '../../shared/categories/contract.ts'
import { listCategories } from '../../shared/categories/store.ts'
import { ApiError } from '../../shared/http/errors.ts'
import { reply } from '../../shared/http/reply.ts'
import { site, system } from '../../shared/site/contract.ts'
import { getMenu } from '../../shared/site/store.ts'
import type { Table } from '../../shared/table/client.ts'
import { menuKey } from '../../shared/table/design.ts'
import { withDeadline } from '../../shared/table/retrying.ts'
import { openChain } from '../support/chain.ts'
import { use } from '../support/use.ts'

const LONGER_THAN_THE_TEST_MS = 600_000

const chain = use(openChain)
let token: string
beforeAll(async () => {
  token = (await chain.user(['user', 'admin'])).token
})
beforeEach(() => chain.logged.splice(0))
afterEach(() => chain.repair())

function listTokensWith(token: string) {
  const call = chain.open({ listTokens: me.listTokens }, { listTokens: async () => reply([]) })
  return call(me.listTokens, { token })
}

function openLogin(login: () => Promise<never>) {
  return chain.open({ login: auth.login }, { login })
}

/** Remembers nothing, so each call reads the table. */
function readCategories() {
  return chain.open(
    { listCategories: { ...categories.listCategories, readsContent: false } },
    {
      listCategories: async ({ table }) =>
        reply((await listCategories(table)).map(category => ({ ...category, posts_count: 0 }))),
    },
  )
}

describe('a table that has never shown the settings', () => {
  it('is no reason to take the default ones, which may open what a site has closed', async () => {
    chain.fail({ at: 'before', error: 'AccessDeniedException' })
    expect((await readCategories()(categories.listCategories)).status).toBe(500)
    const login = openLogin(async () => Promise.reject(new Error('Not reached.')))
    const body = { email: 'ada@example.com', password: 'a password' }
    expect(await login(auth.login, { body })).toMatchObject({ status: 503, code: 'UNAVAILABLE' })
  })
})

describe('a table that cannot count requests', () => {
  it('lets public reads pass uncounted and is logged', async () => {
    chain.fail({ mentions: 'LIMIT#', at: 'before', error: 'InternalServerError' })
    const { status, headers } = await readCategories()(categories.listCategories)
    expect(status).toBe(200)
    expect(Object.keys(headers).filter(name => name.startsWith('X-RateLimit'))).toEqual([])
    expect(chain.logged).toContainEqual(
      expect.objectContaining({ message: 'limiter failed', scope: 'public', open: true }),
    )
  })

  it('lets requests of users pass uncounted', async () => {
    chain.fail({ mentions: 'LIMIT#', at: 'before', error: 'InternalServerError' })
    expect((await listTokensWith(token)).status).toBe(200)
  })

  it('refuses logins before any password is checked', async () => {
    chain.fail({ mentions: 'LIMIT#', at: 'before', error: 'InternalServerError' })
    let checks = 0
    const login = openLogin(async () => {
      checks++
      throw new ApiError('INVALID_CREDENTIALS', 'No.')
    })
    const body = { email: 'a@b.example', password: 'x' }
    const { status, code, headers } = await login(auth.login, { body })
    expect([status, code, headers['Retry-After']]).toEqual([503, 'UNAVAILABLE', '5'])
    expect(checks).toBe(0)
  })

  it('makes the health check answer 503 immediately although the table hangs', async () => {
    const call = chain.open(system, {
      getHealth: async () => reply({ status: 'ok', api_version: 'v1', cms_version: '1', time: '' }),
    })
    chain.clock.nowMs += 60_000
    chain.fail({ at: 'before', hangsMs: LONGER_THAN_THE_TEST_MS })
    expect(await call(system.getHealth)).toMatchObject({ status: 503, code: 'UNAVAILABLE' })
    // By then, later requests no longer wait for the read that hangs.
    chain.clock.nowMs += 60_000
  })

  it('does not delay reads although the counter hangs', async () => {
    chain.fail({ mentions: 'LIMIT#', at: 'before', hangsMs: LONGER_THAN_THE_TEST_MS })
    expect((await readCategories()(categories.listCategories)).status).toBe(200)
  })
})

describe('a table that fails', () => {
  it('leads to 503 with a short Retry-After when it throttles', async () => {
    chain.fail({ operation: 'Query', at: 'before', error: 'ThrottlingException' })
    // Instead of the 8 s for which calls are retried.
    const { status, code, headers } = await withDeadline(
      () => readCategories()(categories.listCategories),
      100,
    )
    expect([status, code, headers['Retry-After']]).toEqual([503, 'UNAVAILABLE', '1'])
  })

  it('leads to 500 without details for an unexpected error, which the log has in full', async () => {
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

  it('does not affect the answer when the use of a token cannot be recorded', async () => {
    const unused = await chain.user(['user'])
    chain.fail({ mentions: 'last_used_at', at: 'before', error: 'ValidationException' })
    expect((await listTokensWith(unused.token)).status).toBe(200)
    expect(chain.logged).toContainEqual(
      expect.objectContaining({
        message: 'a side task failed',
        error: expect.stringContaining('ValidationException'),
      }),
    )
  })
})

describe('a record that keeps changing while it is read', () => {
  it('leads to 503 UNAVAILABLE with Retry-After, and to a line in the log', async () => {
    const Item = { ...menuKey('main'), revision: 1 }
    await chain.table.transact([{ Put: { Item } }])
    const getMenuOf = async ({ table }: { table: Table }) => reply(await getMenu(table, 'main'))
    const call = chain.open({ getMenu: site.getMenu }, { getMenu: getMenuOf })
    const { status, code, headers } = await call(site.getMenu, { params: { location: 'main' } })
    expect([status, code, headers['Retry-After']]).toEqual([503, 'UNAVAILABLE', '1'])
    const error = expect.stringContaining('The menu kept changing while it was read. Try again.')
    expect(chain.logged).toContainEqual(expect.objectContaining({ message: 'unexpected failure', error }))
  })
})
