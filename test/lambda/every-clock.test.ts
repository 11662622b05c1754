// What the clock decides, for every endpoint and to the millisecond: limits, the end of tokens and of bans.
import { describe, expect, it, onTestFinished } from 'vitest'
import { withBan } from '../../shared/accounts/ban.ts'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { ABILITIES } from '../../shared/http/audience.ts'
import type { Endpoint, Group } from '../../shared/http/endpoint.ts'
import { reply } from '../../shared/http/reply.ts'
import type { Handlers } from '../../shared/lambda/handler.ts'
import { API_FUNCTIONS } from '../../shared/service/api.ts'
import { saveSettings } from '../../shared/site/commands/settings.ts'
import { mapConcurrently } from '../../shared/table/concurrency.ts'
import { openChain, type Result } from '../world/chain.ts'
import { ALL_ENABLED } from '../world/endpoints.ts'

/** Nothing is done here: all that this is about comes before. */
function answering(group: Group): Handlers<Group> {
  return Object.fromEntries(Object.keys(group).map(name => [name, async () => reply({})]))
}

const PARAMS = { id: 1, slug: 'any', location: 'any' }

/** Whoever was refused is remembered by address, in this process. */
let chains = 0

const AT_ONCE = 6

/** Every endpoint, each asked by a user of its own from an address of its own. */
async function openEvery(environment: Record<string, string> = {}, lifetimeMinutes: number | null = null) {
  const chain = await openChain(environment)
  onTestFinished(chain.stop)
  const network = `198.18.${++chains}`
  await saveSettings(chain.table, { ...ALL_ENABLED, 'auth.token_lifetime_minutes': lifetimeMinutes })
  const endpoints = Object.values(API_FUNCTIONS).flatMap(({ endpoints: group }) => {
    const send = chain.open(group, answering(group))
    return Object.values(group).map(endpoint => ({ endpoint, send }))
  })
  const every = await Promise.all(
    endpoints.map(async ({ endpoint, send }, n) => {
      const { id, token } = await chain.user([...ABILITIES])
      const ask = { token, sourceIp: `${network}.${n}`, params: PARAMS, body: '{}' }
      return { endpoint, userId: id, send: () => send(endpoint, ask) }
    }),
  )
  const startMs = chain.clock.nowMs
  /** What `tell` says of every answer so long after the start, under the name of its endpoint. */
  const tellAt = async (
    afterMs: number,
    tell: (result: Result) => unknown,
    isAsked: (endpoint: Endpoint) => boolean = () => true,
  ) => {
    chain.clock.nowMs = startMs + afterMs
    const asked = every.filter(({ endpoint }) => isAsked(endpoint))
    const told = new Map<Endpoint, unknown>()
    const [quick, patient] = [true, false].map(is => asked.filter(({ endpoint }) => endpoint.isQuick === is))
    const note = async ({ endpoint, send }: (typeof asked)[number]) =>
      void told.set(endpoint, tell(await send()))
    // Limits are let go of when the table does not answer in time: on a busy machine, few may ask at once.
    await mapConcurrently(quick ?? [], 1, note)
    await mapConcurrently(patient ?? [], AT_ONCE, note)
    return asked.map(({ endpoint }) => [`${endpoint.method} ${endpoint.path}`, told.get(endpoint)])
  }
  return { ...chain, startMs, every, tellAt }
}

/** The same of all. */
function all(told: unknown[][], wanted: unknown) {
  return expect(told).toEqual(told.map(([name]) => [name, wanted]))
}

function asksForToken({ ability }: Endpoint) {
  return ability !== null
}

describe('the limit of every endpoint', () => {
  it('lets the next request in at its millisecond, and says until then how many seconds that is', async () => {
    const { tellAt, startMs } = await openEvery({ LIMIT_SCALE: '0.01' })
    const reset = String(Math.ceil((startMs + 60_000) / 1000))
    const limits = ({ headers }: Result) =>
      ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'].map(
        name => headers[name],
      )
    all(await tellAt(0, result => [result.status < 429, ...limits(result)]), [
      true,
      '1',
      '0',
      reset,
      undefined,
    ])
    for (const [afterMs, seconds] of [
      [0, '60'],
      [1, '60'],
      [1_000, '59'],
      [59_000, '1'],
      [59_999, '1'],
    ] as const) {
      all(await tellAt(afterMs, result => [result.status, result.code, ...limits(result)]), [
        429,
        'RATE_LIMITED',
        '1',
        '0',
        reset,
        seconds,
      ])
    }
    all(await tellAt(60_000, ({ status }) => status < 429), true)
  })
})

describe('a ban, and the lifetime of tokens', () => {
  it('end everywhere at their second', async () => {
    const { tellAt, startMs, every, table } = await openEvery({}, 1)
    const until = Math.floor(startMs / 1000) + 30
    const [banEndMs, tokenEndMs] = [until * 1000 - startMs, (until + 30) * 1000 - startMs]
    await Promise.all(
      every.map(({ userId }) => changeUser(table, userId, user => withBan(user, { reason: null, until }))),
    )
    const isLetIn = ({ status }: Result) => status !== 401 && status !== 403
    all(await tellAt(banEndMs - 1, ({ code }) => code, asksForToken), 'ACCOUNT_BANNED')
    all(await tellAt(banEndMs, isLetIn, asksForToken), true)
    all(await tellAt(tokenEndMs - 1, isLetIn, asksForToken), true)
    all(await tellAt(tokenEndMs, ({ code }) => code, asksForToken), 'UNAUTHENTICATED')
  })
})
