// The secrets of a function: read from Secrets Manager at its start, and again after a rotation of keys.
import { setTimeout as pause } from 'node:timers/promises'
import { UnknownKey } from '../aws/secret-value.ts'
import { readSecret, type SecretsAccess } from '../aws/secrets-manager.ts'
import { ApiError } from '../http/errors.ts'
import { type Environment, required } from './environment.ts'
import type { Runtime } from './runtime.ts'
import { SECRET_VARIABLES } from './secret-names.ts'

/** What the secrets are read by. */
type Reader = Pick<Runtime, 'environment' | 'clock' | 'log'>

const CALL_TIMEOUT_MS = 1_000
const FIRST_READ_ATTEMPTS = 3
/** A previous key is never removed sooner, so no function seals with a removed one. */
const MAX_AGE_MS = 10 * 60_000
/** Forged seals also name unknown keys. */
const PAUSE_MS = 2_000

/** When the secrets of an environment were last read, and when that was last tried. */
type Reading = { readMs?: number; triedMs: number; running?: Promise<void> | undefined }
const READINGS = new WeakMap<Environment, Reading>()

/** Call this before each event: it reads what was never read, and what may have been rotated since. */
export async function refreshSecrets({ environment, clock, log }: Reader): Promise<void> {
  const ids = idsIn(environment)
  if (ids.length === 0) return
  const reading = readingOf(environment)
  const isKnown = reading.readMs !== undefined
  const sinceMs = isKnown ? Math.max(reading.readMs ?? 0, reading.triedMs - MAX_AGE_MS + PAUSE_MS) : 0
  if (isKnown && clock() - sinceMs < MAX_AGE_MS) return
  for (let attempt = 1; ; attempt++) {
    try {
      return await read(environment, reading, clock)
    } catch (error) {
      log('warn', 'the secrets could not be read', { problem: String(error) })
      if (isKnown) return
      if (attempt === FIRST_READ_ATTEMPTS) throw unavailable(error)
    }
  }
}

/** Runs again if a seal names an unknown key, after the secrets were read again. */
export async function withKnownKeys<T>(reader: Reader, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const unknown = unknownKeyIn(error)
    if (!unknown) throw error
    if (!(await readAgain(reader))) throw unknown.failure
  }
  return await run().catch(error => {
    throw unknownKeyIn(error)?.failure ?? error
  })
}

function unknownKeyIn(error: unknown): UnknownKey | undefined {
  if (error instanceof UnknownKey) return error
  return error instanceof Error && error.cause ? unknownKeyIn(error.cause) : undefined
}

/** At most once in some seconds: a further call waits. False if there is nothing to read. */
async function readAgain({ environment, clock, log }: Reader): Promise<boolean> {
  if (idsIn(environment).length === 0) return false
  const reading = readingOf(environment)
  const waitMs = Math.min(PAUSE_MS, reading.triedMs + PAUSE_MS - clock())
  if (waitMs > 0 && !reading.running) await pause(waitMs)
  return await read(environment, reading, clock).then(
    () => true,
    error => {
      log('warn', 'the secrets could not be read', { problem: String(error) })
      return false
    },
  )
}

/** Concurrent calls share one read. */
async function read(environment: Environment, reading: Reading, clock: () => number): Promise<void> {
  reading.running ??= readAll(environment, reading, clock).finally(() => {
    reading.running = undefined
  })
  await reading.running
}

async function readAll(environment: Environment, reading: Reading, clock: () => number): Promise<void> {
  const startMs = clock()
  reading.triedMs = startMs
  const access = accessIn(environment)
  await Promise.all(
    idsIn(environment).map(async ([variable, id]) => {
      environment[variable] = (await readSecret(access, id)).value
    }),
  )
  reading.readMs = startMs
}

function readingOf(environment: Environment): Reading {
  const known = READINGS.get(environment)
  if (known) return known
  const reading: Reading = { triedMs: 0 }
  READINGS.set(environment, reading)
  return reading
}

/** The secrets of the function: the variable that holds the value, and the secret's id. */
function idsIn(environment: Environment) {
  return Object.values(SECRET_VARIABLES).flatMap(variable => {
    const id = environment[`${variable}_SECRET`]
    return id === undefined ? [] : [[variable, id] as const]
  })
}

type AccessVariable =
  | `AWS_${'REGION' | 'ACCESS_KEY_ID' | 'SECRET_ACCESS_KEY' | 'SESSION_TOKEN'}`
  | `AWS_ENDPOINT_URL${'' | '_SECRETS_MANAGER'}`

/** By the credentials of the function's role. */
export function accessIn(environment: Pick<Environment, AccessVariable>): SecretsAccess {
  return {
    endpoint: environment.AWS_ENDPOINT_URL_SECRETS_MANAGER ?? environment.AWS_ENDPOINT_URL,
    region: required(environment, 'AWS_REGION'),
    credentials: {
      accessKeyId: required(environment, 'AWS_ACCESS_KEY_ID'),
      secretAccessKey: required(environment, 'AWS_SECRET_ACCESS_KEY'),
      sessionToken: environment.AWS_SESSION_TOKEN,
    },
    timeoutMs: CALL_TIMEOUT_MS,
  }
}

function unavailable(cause: unknown): ApiError {
  const error = new ApiError('UNAVAILABLE', 'The service is starting, try again.', { retryAfterSeconds: 1 })
  error.cause = cause
  return error
}
