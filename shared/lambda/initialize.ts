// What a Lambda does before its first event, while it has a whole CPU: clients, settings, open connections.

import { isLambda, runtime } from '../runtime/runtime.ts'
import { currentSettings, readSettings } from '../site/store/settings.ts'
import { within } from './within.ts'

/** The table is reached in milliseconds, or the first event says why not. */
const LONGEST_MS = 1_000
/** The limiter's write and the first reads of a handler go side by side, each on a connection of its own. */
const CONNECTIONS = 3

async function warmUp(): Promise<void> {
  if (!isLambda()) return
  try {
    const { table, clock } = runtime()
    const others = Array.from({ length: CONNECTIONS - 1 }, () => readSettings(table))
    await within(LONGEST_MS, Promise.all([currentSettings(table, clock()), ...others]))
  } catch {
    // A bad environment or a silent table: the first event meets it again and tells.
  }
}

/** Never rejects. The ES entry of each API function waits for it, which a CommonJS bundle cannot. */
export const ready: Promise<void> = warmUp()
