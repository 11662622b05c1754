// What a check has at hand: callers of each audience, shared records, and the receiver of webhooks.

import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, at, notRun } from './answer.ts'
import { type Ask, openClient, type Send } from './client.ts'
import { openCreatedRecords } from './created-records.ts'
import { openPace } from './pace.ts'
import { openReceiver, type Receiver } from './receiver.ts'

export type SuiteOptions = {
  /** Without `/api/v1`. */
  baseUrl: string
  adminToken: string
  userToken?: string | undefined
  /** An account to log in with, because the suite cannot delete one that it registers. */
  account?: { email: string; password: string } | undefined
  /** Where the service reaches this machine, if it runs on another one. */
  receiver?: { url: string; port: number } | undefined
  areLimitsRaised?: boolean
  /** A request that may write is not sent. */
  isReading?: boolean
  /** How long an event, a delivery or a search result may take. */
  patienceMs?: number
  log?: (line: string) => void
  /** Shared records of an earlier suite, by name. */
  memory?: Map<string, Promise<unknown>>
}

/** `path` follows `/api/v1`. */
export type Call = (method: string, path: string, body?: unknown, more?: Ask) => Promise<Answer>

const PATIENCE_MS = 90_000
const POLL_MS = 100

export function openSuite(options: SuiteOptions) {
  const { baseUrl, adminToken, account, areLimitsRaised = false, patienceMs = PATIENCE_MS } = options
  const { memory = new Map<string, Promise<unknown>>(), log = () => undefined } = options
  const mark = `Conformance ${randomBytes(4).toString('hex')}`
  const interruption = new AbortController()
  const { signal } = interruption
  const pace = openPace({ isRaised: areLimitsRaised, log })
  const created = openCreatedRecords({ mark, adminToken })
  const answers: Answer[] = []
  const clientOptions = { baseUrl, pace, onAnswer: (answer: Answer) => answers.push(answer) }
  const client = openClient({ ...clientOptions, signal })
  const cleaner = openClient({ ...clientOptions, signal: new AbortController().signal })
  let receiver: Promise<Receiver> | undefined
  let count = 0

  const send: Send = async (method, path, ask = {}) => {
    if (options.isReading && method !== 'GET') notRun('It writes, and the suite may only read.')
    const answer = await client(method, path, ask)
    created.note(method, path, ask.token, answer)
    return answer
  }
  const as =
    (token: string | undefined): Call =>
    (method, path, body, more = {}) =>
      send(method, path, { token, body, ...more })

  /** Makes a shared record on its first use. */
  function once<Value>(name: string, make: () => Promise<Value>): Promise<Value> {
    const existing = memory.get(name)
    if (existing) return existing as Promise<Value>
    const value = make()
    memory.set(name, value)
    return value
  }

  /** A token without the ability `admin`: the one that was given, or a new one of the admin. */
  function userToken(): Promise<string> {
    return once('user token', async () => {
      if (options.userToken !== undefined) return options.userToken
      const body = { name: `${mark} user`, abilities: ['user'] }
      const token = at(await as(adminToken)('POST', '/me/tokens', body), 'data.token')
      return typeof token === 'string' ? token : notRun('It needs the variable USER_TOKEN.')
    })
  }

  function openHooks(): Promise<Receiver> {
    const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(new URL(baseUrl).hostname)
    if (!isHere && !options.receiver) {
      notRun('It needs --receiver-url URL, where the service reaches this machine, for example a tunnel.')
    }
    receiver ??= openReceiver({ ...options.receiver, patienceMs, signal })
    return receiver
  }

  return {
    baseUrl,
    mark,
    account,
    areLimitsRaised,
    answers,
    signal,
    patienceMs,
    /** Between two looks at something that comes later. */
    pause: () => pause(POLL_MS, undefined, { signal }),
    pace,
    reader: as(undefined),
    admin: as(adminToken),
    adminToken,
    user: async (...parameters: Parameters<Call>) => as(await userToken())(...parameters),
    userToken,
    /** A token that the suite did not create: it is valid after the clean-up as well. */
    lastingToken: options.userToken ?? adminToken,
    as,
    once,
    /** A name that no other record has: `Conformance 1f3a title 7`. */
    unique: (word: string) => `${mark} ${word} ${++count}`,
    receiver: async () => openHooks(),
    interrupt: () => interruption.abort(),
    cleanUp: () => created.cleanUp(cleaner),
    createdCount: created.count,
    stop: async () => (await receiver)?.stop(),
  }
}

export type Suite = ReturnType<typeof openSuite>
