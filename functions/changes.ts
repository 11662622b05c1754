// What has changed in the public content.
import { changes } from '../shared/changes/contract.ts'
import { showChanges } from '../shared/changes/store/show-changes.ts'
import { serve } from '../shared/lambda/serve.ts'

export const handler = serve(changes, {
  listChanges: ({ query, table, nowMs, cursorAt }) =>
    showChanges({ table, nowMs, cursorPlace: cursorAt() }, query),
})
