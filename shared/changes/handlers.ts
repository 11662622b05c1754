// The handler that lists what has changed in the public content.
import { handlersOf } from '../lambda/handler.ts'
import { changes } from './contract.ts'
import { showChanges } from './store.ts'

export const changesHandlers = handlersOf(changes, {
  listChanges: ({ query, table, nowMs, cursorAt }) =>
    showChanges({ table, nowMs, cursorPlace: cursorAt() }, query),
})
