// Forged cursors, links and bearer tokens, wrong in each of their parts, at every endpoint that takes one:
// none is answered later than a right one, so none has the secrets read or makes a call of its own.
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { newResetToken, newVerifyToken } from '../../shared/accounts/mails.ts'
import { changes } from '../../shared/changes/contract.ts'
import { type Endpoint, namesIn } from '../../shared/http/endpoint.ts'
import { newsletter } from '../../shared/newsletter/contract.ts'
import { subscriberToken } from '../../shared/newsletter/mails.ts'
import { findByEmail } from '../../shared/newsletter/store.ts'
import { createUserWith } from '../support/create.ts'
import { ENDPOINTS, membersOf } from '../support/endpoints.ts'
import { openFullChain } from '../support/full-chain.ts'
import type { EventOptions } from '../support/proxy-event.ts'
import { contentRaised } from '../support/remembered.ts'
import { openSecretStore } from '../support/secret-store.ts'
import { use } from '../support/use.ts'
import { fullBodyOf } from '../support/valid-bodies.ts'

const chain = use(async () => {
  const store = await openSecretStore()
  const opened = await openFullChain(store.environment)
  const stop = async () => {
    await opened.stop()
    await store.stop()
  }
  return { ...opened, store, stop }
})

const MEGABYTE = 1_000_000
const NO_TEXT = [
  '',
  ' ',
  '.',
  '_',
  '%',
  '=',
  'null',
  '\u0000',
  'é🚀',
  'A'.repeat(MEGABYTE),
  '1.'.repeat(MEGABYTE / 2),
]
/** Without 1, the number of the right key. */
const NUMBERS = ['', '0', '2', '3', '-1', '2.0', '999999', '9'.repeat(400)]

/** Texts like the right one, each wrong in a character, in a part, or in the number of the key. */
function forgedFrom(right: string, separator: '.' | '_'): string[] {
  const parts = right.split(separator)
  const step = Math.ceil(right.length / 12)
  const flips = Array.from({ length: right.length }, (_, n) => n).filter(
    n => n % step === 0 || n === right.length - 1,
  )
  const all = [
    ...NO_TEXT,
    ...flips.map(n => `${right.slice(0, n)}${right[n] === 'A' ? 'B' : 'A'}${right.slice(n + 1)}`),
    ...[1, 2, Math.ceil(right.length / 2)].flatMap(n => [right.slice(n), right.slice(0, -n)]),
    ...['A', '=', ' A', '🚀', separator, right].map(more => right + more),
    ...NUMBERS.flatMap(number => [`${number}.${right}`, `${right}.${number}`, `${number}.A`]),
    ...parts.flatMap((_, n) => [...NUMBERS, 'A', '🚀'].map(part => parts.with(n, part).join(separator))),
    ...parts.map((_, n) => parts.toSpliced(n, 1).join(separator)),
    parts.toReversed().join(separator),
  ]
  return [...new Set(all)].filter(text => text !== right)
}

async function counted(endpoint: Endpoint, ask: EventOptions) {
  const { result, used } = await chain.measure(() => chain.send(endpoint, ask))
  return { ...result, calls: used.calls }
}

/** Sends the texts one after the other, and returns the statuses and the most calls that one made. */
async function sendAll(endpoint: Endpoint, texts: string[], askOf: (text: string) => EventOptions) {
  const statuses = new Set<number>()
  let calls = 0
  for (const text of texts) {
    const answer = await counted(endpoint, askOf(text))
    statuses.add(answer.status)
    calls = Math.max(calls, answer.calls)
  }
  return { statuses: [...statuses], calls }
}

const Cursor = z.object({ cursor: z.object({ next: z.nullable(z.string()) }) })

/** The clock stands still, so the secrets are not read again. */
beforeAll(async () => {
  await chain.send(changes.listChanges, { query: { since: '2.A' } })
  expect(chain.store.readsSince()).toMatchObject({ ClientKey: expect.any(Number) })
})

const START = ['after', 'since']
const BY_CURSOR = ENDPOINTS.flatMap(({ name, endpoint }) =>
  membersOf(endpoint.query)
    .filter(([parameter]) => START.includes(parameter))
    .map(([parameter]) => ({ name, endpoint, parameter })),
)

describe.each(BY_CURSOR)('$name?$parameter', ({ endpoint, parameter }) => {
  it('answers 422 to every forged cursor, with no more calls than without one', async () => {
    const { [parameter]: _, ...query } = endpoint.example.query ?? {}
    await chain.table.transact(contentRaised())
    const without = await counted(endpoint, { query })
    const { cursor } = Cursor.parse(JSON.parse((await chain.send(changes.listChanges, {})).text))
    const own = Cursor.safeParse(JSON.parse(without.text)).data?.cursor.next
    const ofOthers = own === cursor.next ? [] : [cursor.next ?? '']
    const texts = [...ofOthers, ...forgedFrom(own ?? cursor.next ?? '', '.')]
    const { statuses, calls } = await sendAll(endpoint, texts, text => ({
      query: { ...query, [parameter]: text },
    }))
    expect(statuses).toEqual([422])
    expect(calls).toBeLessThanOrEqual(without.calls)
    expect(chain.store.readsSince()).toEqual({})
  })
})

const BY_LINK = ENDPOINTS.filter(
  ({ endpoint }) => endpoint.ability === null && endpoint.body && namesIn(endpoint.body).includes('token'),
)

/** An account whose address is not confirmed. */
function newUser() {
  return createUserWith(chain.table, ['user'], { email_verified: false, atSeconds: nowSeconds() })
}

/** A right token of each endpoint. */
const LINKS: Record<string, () => Promise<string>> = {
  'POST /api/v1/auth/verify-email': async () =>
    newVerifyToken(chain.store.value('PrivateKey'), await newUser(), nowSeconds()),
  'POST /api/v1/auth/reset-password': async () =>
    newResetToken(chain.store.value('PrivateKey'), await newUser(), nowSeconds()),
  'POST /api/v1/newsletter/confirm': subscribed,
  'POST /api/v1/newsletter/unsubscribe': subscribed,
}

function nowSeconds(): number {
  return Math.floor(chain.clock.nowMs / 1000)
}

async function subscribed(): Promise<string> {
  const email = `reader-${Math.random()}@example.com`
  await chain.send(newsletter.subscribe, { body: { email } })
  const { id = 0 } = (await findByEmail(chain.table, email)) ?? {}
  return subscriberToken(chain.store.value('PrivateKey'), id)
}

describe.each(BY_LINK)('$name', ({ name, endpoint }) => {
  const bodyWith = (token: string) => ({ body: { ...fullBodyOf(endpoint), token } })
  const right = async () => {
    const token = await LINKS[name]?.()
    if (token === undefined) throw new Error(`Add a right token of ${name} to LINKS.`)
    return token
  }

  it('answers 422 to every forged token, with no more calls than to a right one', async () => {
    const others = Object.entries(LINKS).filter(
      ([other]) => other.includes('newsletter') !== name.includes('newsletter'),
    )
    const ofOthers = await Promise.all(others.map(([, link]) => link()))
    const token = await right()
    const forged = await sendAll(endpoint, [...ofOthers, ...forgedFrom(token, '.')], bodyWith)
    const answer = await counted(endpoint, bodyWith(token))
    expect([forged.statuses, answer.status]).toEqual([[422], 200])
    expect(forged.calls).toBeLessThanOrEqual(answer.calls)
    expect(chain.store.readsSince()).toEqual({})
  })
})

/** At each endpoint a few; all of them at one of each audience. */
const THOROUGHLY = new Set(['GET /api/v1/posts', 'GET /api/v1/me', 'GET /api/v1/admin/posts'])

describe.each(ENDPOINTS)('$name', ({ name, endpoint }) => {
  it('reads nothing but the token for a forged bearer token', async () => {
    const { token: right } = await chain.user(['user'])
    const marked = right.replace(/^hcs/, 'hcb').replace(/.{43}$/, 'A'.repeat(43))
    const few = ['x', right.slice(0, -1), right.replace('_', '_9'), marked, `2.${right}`, `${right}.2`]
    const all = () => [right, marked].flatMap(text => forgedFrom(text, '_')).filter(text => text !== right)
    const texts = THOROUGHLY.has(name) ? all() : few
    const without = await counted(endpoint, { token: '' })
    const { statuses, calls } = await sendAll(endpoint, texts, token => ({ token }))
    expect(statuses).toEqual([without.status])
    expect(calls).toBeLessThanOrEqual(without.calls + 1)
    expect(chain.store.readsSince()).toEqual({})
  })
})
