// What depends on the clock, for every endpoint and to the millisecond: limits, tokens and bans.
import { describe, expect, it, onTestFinished } from 'vitest'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { withBan } from '../../shared/accounts/user.ts'
import { USER_ABILITIES } from '../../shared/http/audience.ts'
import type { Endpoint, Group } from '../../shared/http/endpoint.ts'
import { reply } from '../../shared/http/reply.ts'
import type { Handlers } from '../../shared/lambda/handler.ts'
import { API_FUNCTIONS } from '../../shared/service/api.ts'
import { saveSettings } from '../../shared/site/commands/settings.ts'
import { mapConcurrently } from '../../shared/table/concurrency.ts'
import { openChain, type Result } from '../world/chain.ts'
import { ALL_ENABLED } from '../world/endpoints.ts'

/** Handlers that do nothing, because the tests are about the steps before them. */
function emptyHandlers(group: Group): Handlers<Group> {
  return Object.fromEntries(Object.keys(group).map(name => [name, async () => reply({})]))
}

const PARAMS = { id: 1, slug: 'any', location: 'any', delivery_id: 'any' }

/** Numbers the networks of the callers. */
let chains = 0

const AT_ONCE = 6

/** Every endpoint, each called by its own user from its own address. */
async function openAllEndpoints(
  environment: Record<string, string> = {},
  lifetimeMinutes: number | null = null,
) {
  const chain = await openChain(environment)
  onTestFinished(chain.stop)
  const network = `198.18.${++chains}`
  await saveSettings(chain.table, { ...ALL_ENABLED, 'auth.token_lifetime_minutes': lifetimeMinutes })
  const endpoints = Object.values(API_FUNCTIONS).flatMap(({ endpoints: group }) => {
    const send = chain.open(group, emptyHandlers(group))
    return Object.values(group).map(endpoint => ({ endpoint, send }))
  })
  const every = await Promise.all(
    endpoints.map(async ({ endpoint, send }, n) => {
      const { id, token } = await chain.user([...USER_ABILITIES, 'admin'])
      const ask = { token, sourceIp: `${network}.${n}`, params: PARAMS, body: '{}' }
      return { endpoint, userId: id, send: () => send(endpoint, ask) }
    }),
  )
  const startMs = chain.clock.nowMs
  /** Calls every endpoint so long after the start, and returns what `select` takes of each answer. */
  const answersAt = async (
    afterMs: number,
    select: (result: Result) => unknown,
    isCalled: (endpoint: Endpoint) => boolean = () => true,
  ) => {
    chain.clock.nowMs = startMs + afterMs
    const called = every.filter(({ endpoint }) => isCalled(endpoint))
    const answers = new Map<Endpoint, unknown>()
    const [quick, patient] = [true, false].map(is => called.filter(({ endpoint }) => endpoint.isQuick === is))
    const call = async ({ endpoint, send }: (typeof called)[number]) =>
      void answers.set(endpoint, select(await send()))
    // A limiter that times out lets requests pass, so only few run concurrently on a busy machine.
    await mapConcurrently(quick ?? [], 1, call)
    await mapConcurrently(patient ?? [], AT_ONCE, call)
    return called.map(({ endpoint }) => [`${endpoint.method} ${endpoint.path}`, answers.get(endpoint)])
  }
  return { ...chain, startMs, every, answersAt }
}

/** Expects the same for all endpoints. */
function expectAll(answers: unknown[][], expected: unknown) {
  return expect(answers).toEqual(answers.map(([name]) => [name, expected]))
}

function needsToken({ ability }: Endpoint) {
  return ability !== null
}

describe('the limit of every endpoint', () => {
  it('admits the next request at the exact millisecond, with Retry-After until then', async () => {
    const { answersAt, startMs } = await openAllEndpoints({ LIMIT_SCALE: '0.01' })
    const reset = String(Math.ceil((startMs + 60_000) / 1000))
    const limits = ({ headers }: Result) =>
      ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'].map(
        name => headers[name],
      )
    expectAll(await answersAt(0, result => [result.status < 429, ...limits(result)]), [
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
      expectAll(await answersAt(afterMs, result => [result.status, result.code, ...limits(result)]), [
        429,
        'RATE_LIMITED',
        '1',
        '0',
        reset,
        seconds,
      ])
    }
    expectAll(await answersAt(60_000, ({ status }) => status < 429), true)
  })
})

describe('a ban and the lifetime of a token', () => {
  it('end at the exact second for every endpoint', async () => {
    const { answersAt, startMs, every, table } = await openAllEndpoints({}, 1)
    const until = Math.floor(startMs / 1000) + 30
    const [banEndMs, tokenEndMs] = [until * 1000 - startMs, (until + 30) * 1000 - startMs]
    await Promise.all(
      every.map(({ userId }) => changeUser(table, userId, user => withBan(user, { reason: null, until }))),
    )
    const isAdmitted = ({ status }: Result) => status !== 401 && status !== 403
    expectAll(await answersAt(banEndMs - 1, ({ code }) => code, needsToken), 'ACCOUNT_BANNED')
    expectAll(await answersAt(banEndMs, isAdmitted, needsToken), true)
    expectAll(await answersAt(tokenEndMs - 1, isAdmitted, needsToken), true)
    expectAll(await answersAt(tokenEndMs, ({ code }) => code, needsToken), 'UNAUTHENTICATED')
  })
})
