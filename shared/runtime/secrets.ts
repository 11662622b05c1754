// The secrets of a function: read from Secrets Manager at its start, and again every ten minutes.
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

/** When the secrets of an environment are read next; 0 until they were read once, which events share. */
type Reading = { nextMs: number; first?: Promise<void> | undefined }
const READINGS = new WeakMap<Environment, Reading>()

/** Call this before each event: it reads what was never read, and what may have been rotated since. */
export async function refreshSecrets({
  environment,
  clock,
  log,
}: Pick<Runtime, 'environment' | 'clock' | 'log'>): Promise<void> {
  const reading: Reading = READINGS.get(environment) ?? { nextMs: 0 }
  READINGS.set(environment, reading)
  const nowMs = clock()
  const isKnown = reading.nextMs > 0
  if (idsIn(environment).length === 0 || isRunning(reading.nextMs - MAX_AGE_MS, MAX_AGE_MS, nowMs)) return
  try {
    if (isKnown) {
      // Until this read ends, and for a pause after it fails, events use the secrets that are known.
      reading.nextMs = nowMs + PAUSE_MS
      await readAll(environment, nowMs)
    } else {
      reading.first ??= retrying(() => readAll(environment, nowMs)).finally(() => {
        reading.first = undefined
      })
      await reading.first
    }
    reading.nextMs = nowMs + MAX_AGE_MS
  } catch (error) {
    log('warn', 'the secrets could not be read', { problem: String(error) })
    if (!isKnown) throw unavailable(error)
  }
}

async function readAll(environment: Environment, nowMs: number): Promise<void> {
  const requestHandler = { requestTimeout: CALL_TIMEOUT_MS }
  const access = { ...settingsIn(environment, SECRETS_MANAGER), requestHandler }
  await Promise.all(
    idsIn(environment).map(async ([variable, id]) => {
      const { value } = await readSecret(access, id)
      environment[variable] = settledValue(value, Math.floor(nowMs / 1000))
    }),
  )
}

/** The secrets of the function: the variable that holds the value, and the secret's id. */
function idsIn(environment: Environment) {
  return Object.values(SECRET_VARIABLES).flatMap(variable => {
    const id = environment[`${variable}_SECRET`]
    return id === undefined ? [] : [[variable, id] as const]
  })
}

function unavailable(cause: unknown): ApiError {
  const error = new ApiError('UNAVAILABLE', 'The service is starting, try again.', { retryAfterSeconds: 1 })
  error.cause = cause
  return error
}
