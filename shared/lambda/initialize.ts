// What a Lambda can do before its first event, when it has a whole CPU: make its clients, open its connection.
import { currentSettings } from '../site/store.ts'
import { isLambda, runtime } from './runtime.ts'

/**
 * The read that every request begins with opens the connection and is in memory for the first one. What fails here
 * the first event meets again, and tells.
 */
export const initialize = (): void => {
  if (!isLambda()) return
  try {
    const { table, clock } = runtime()
    currentSettings(table, clock()).catch(() => undefined)
  } catch {
    // A bad environment: every event says so.
  }
}
