// Prepares a Lambda before its first event, while it has a whole CPU: secrets, settings, open connections.
import { isLambda, runtime } from '../runtime/runtime.ts'
import { refreshSecrets } from '../runtime/secrets.ts'
import { currentSettings, readSettings } from '../site/store.ts'
import { within } from '../table/retrying.ts'

/** A table that does not answer by then is reported by the first event. */
const LONGEST_MS = 1_000
/** The limiter's write and a handler's first reads run in parallel, each on its own connection. */
const CONNECTIONS = 3

async function warmUp(): Promise<void> {
  if (!isLambda()) return
  try {
    const { table, clock, environment } = runtime()
    const secrets = refreshSecrets({ environment, clock, log: () => undefined })
    const others = Array.from({ length: CONNECTIONS - 1 }, () => readSettings(table))
    await within(LONGEST_MS, Promise.all([secrets, currentSettings(table, clock()), ...others]))
  } catch {
    // The first event fails in the same way, and its failure is logged.
  }
}

/** Never rejects. Each API function exports it; the ES entry of its bundle awaits it, as CommonJS cannot. */
export const ready: Promise<void> = warmUp()
