// The secrets of a function: read from Secrets Manager at its start, and again after a rotation of keys.
import type { ClientSettings } from '../aws/client.ts'
import { UnknownKey } from '../aws/secret-value.ts'
import { readSecret } from '../aws/secrets-manager.ts'
import { SECRETS_MANAGER, settingsIn } from '../aws/services.ts'
import { ApiError } from '../http/errors.ts'
import { isRunning } from '../table/concurrency.ts'
import type { Environment } from './environment.ts'
import { SECRET_VARIABLES } from './parameters.ts'
import type { Runtime } from './runtime.ts'

/** What the secrets are read by. */
type Reader = Pick<Runtime, 'environment' | 'clock' | 'log'>

const CALL_TIMEOUT_MS = 1_000
const FIRST_READ_ATTEMPTS = 3
/** A previous key is never removed sooner, so no function seals with a removed one. */
const MAX_AGE_MS = 10 * 60_000
/** After a failure, and between two reads that a client causes: anybody can forge a seal. */
const PAUSE_MS = 2_000

/** When the secrets of an environment were last read, when that was tried, and when a client caused it. */
type Reading = { readMs?: number; triedMs: number; causedMs: number; running?: Promise<void> | undefined }
const READINGS = new WeakMap<Environment, Reading>()

/** Call this before each event: it reads what was never read, and what may have been rotated since. */
export async function refreshSecrets({ environment, clock, log }: Reader): Promise<void> {
  const ids = idsIn(environment)
  if (ids.length === 0) return
  const reading = readingOf(environment)
  const isKnown = reading.readMs !== undefined
  const sinceMs = isKnown ? Math.max(reading.readMs ?? 0, reading.triedMs - MAX_AGE_MS + PAUSE_MS) : 0
  if (isKnown && isRunning(sinceMs, MAX_AGE_MS, clock())) return
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

/**
 * Runs again if a seal names an unknown key, after the secrets were read again. A client may have forged its
 * seal, so these cause a read at most every two seconds: the first waits for it, all others fail immediately.
 */
export async function withKnownKeys<T>(reader: Reader, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const unknown = unknownKeyIn(error)
    if (!unknown) throw error
    if (!mayRead(reader, unknown) || !(await readAgain(reader))) throw unknown.failure
  }
  return await run().catch(error => {
    throw unknownKeyIn(error)?.failure ?? error
  })
}

function unknownKeyIn(error: unknown): UnknownKey | undefined {
  if (error instanceof UnknownKey) return error
  return error instanceof Error && error.cause ? unknownKeyIn(error.cause) : undefined
}

/** What is no client's fault was sealed by the service, so that its key exists. */
function mayRead({ environment, clock }: Reader, { failure }: UnknownKey): boolean {
  if (idsIn(environment).length === 0) return false
  if (!(failure instanceof ApiError)) return true
  const reading = readingOf(environment)
  const nowMs = clock()
  if (isRunning(reading.causedMs, PAUSE_MS, nowMs)) return false
  reading.causedMs = nowMs
  return true
}

/** False if they cannot be read. */
async function readAgain({ environment, clock, log }: Reader): Promise<boolean> {
  return await read(environment, readingOf(environment), clock).then(
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
  const reading: Reading = { triedMs: 0, causedMs: 0 }
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

/** Those of a function's role. */
function accessIn(environment: Parameters<typeof settingsIn>[0]): ClientSettings {
  return {
    ...settingsIn(environment, SECRETS_MANAGER),
    requestHandler: { requestTimeout: CALL_TIMEOUT_MS },
  }
}

function unavailable(cause: unknown): ApiError {
  const error = new ApiError('UNAVAILABLE', 'The service is starting, try again.', { retryAfterSeconds: 1 })
  error.cause = cause
  return error
}
