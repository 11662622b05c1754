// The secrets of a function: read from Secrets Manager at its start, and again every ten minutes.
import type { ClientSettings } from '../aws/client.ts'
import { settledValue } from '../aws/secret-value.ts'
import { readSecret } from '../aws/secrets-manager.ts'
import { SECRETS_MANAGER, settingsIn } from '../aws/services.ts'
import { ApiError } from '../http/errors.ts'
import { isRunning } from '../table/concurrency.ts'
import { retrying } from '../table/retrying.ts'
import type { Environment } from './environment.ts'
import { SECRET_VARIABLES } from './parameters.ts'
import type { Runtime } from './runtime.ts'

const CALL_TIMEOUT_MS = 1_000
/** A new key seals an hour after its creation, and a previous one is kept for longer. */
const MAX_AGE_MS = 10 * 60_000
/** After a failure. */
const PAUSE_MS = 2_000

/** When the secrets of an environment were last read, and when that was tried. */
type Reading = { readMs?: number; triedMs: number; running?: Promise<void> | undefined }
const READINGS = new WeakMap<Environment, Reading>()

/** Call this before each event: it reads what was never read, and what may have been rotated since. */
export async function refreshSecrets({
  environment,
  clock,
  log,
}: Pick<Runtime, 'environment' | 'clock' | 'log'>): Promise<void> {
  const ids = idsIn(environment)
  if (ids.length === 0) return
  const reading = readingOf(environment)
  const isKnown = reading.readMs !== undefined
  const sinceMs = isKnown ? Math.max(reading.readMs ?? 0, reading.triedMs - MAX_AGE_MS + PAUSE_MS) : 0
  if (isKnown && isRunning(sinceMs, MAX_AGE_MS, clock())) return
  const read = () => readAll(environment, reading, clock())
  try {
    // Concurrent events share one read.
    reading.running ??= (isKnown ? read() : retrying(read)).finally(() => {
      reading.running = undefined
    })
    await reading.running
  } catch (error) {
    log('warn', 'the secrets could not be read', { problem: String(error) })
    if (!isKnown) throw unavailable(error)
  }
}

async function readAll(environment: Environment, reading: Reading, nowMs: number): Promise<void> {
  reading.triedMs = nowMs
  const access = accessIn(environment)
  await Promise.all(
    idsIn(environment).map(async ([variable, id]) => {
      const { value } = await readSecret(access, id)
      environment[variable] = settledValue(value, Math.floor(nowMs / 1000))
    }),
  )
  reading.readMs = nowMs
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
