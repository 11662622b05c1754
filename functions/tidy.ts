// Work that outlives its request: one step of at most 100 records, then a message for the next.

import { removeVoidTokens } from '../shared/accounts/tokens.ts'
import type { TidyMessage } from '../shared/events/message.ts'
import { consume } from '../shared/lambda/consume.ts'
import { clearList } from '../shared/table/clear-list.ts'
import type { Table } from '../shared/table/client.ts'

/** Takes one step; true when there is another. Twice is as good as once. */
const step = (table: Table, message: TidyMessage): Promise<boolean> => {
  switch (message.kind) {
    case 'list':
      return clearList(table, message.list)
    case 'tokens':
      return removeVoidTokens(table, message.user_id, message.first_valid)
  }
}

export const handler = consume('tidy', async (message, { table, sender }) => {
  if (!(await step(table, message))) return
  const [sent] = await sender.send([{ queue: 'tidy', body: message }])
  if (!sent?.ok) throw new Error('The next step could not be sent: this one is done again.')
})
