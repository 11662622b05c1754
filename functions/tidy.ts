// Finishes what requests began, in steps of at most 100 records, each with a message for the next.
import { removeRevokedTokens } from '../shared/accounts/commands/tokens.ts'
import { cleanUpComments } from '../shared/comments/commands/clean-up.ts'
import type { TidyMessage } from '../shared/events/message.ts'
import { consume } from '../shared/lambda/consume.ts'
import { clearList } from '../shared/lists/clear-list.ts'
import type { Table } from '../shared/table/client.ts'
import { type ReplayMessage, stepReplay } from '../shared/webhooks/commands/replay.ts'

/** Takes one step and returns the next one, if any. Idempotent. */
async function step(
  table: Table,
  message: Exclude<TidyMessage, ReplayMessage>,
): Promise<TidyMessage | undefined> {
  switch (message.kind) {
    case 'list':
      return (await clearList(table, message.list)) ? message : undefined
    case 'comments':
      return (await cleanUpComments(table, message)) ? message : undefined
    case 'tokens':
      return (await removeRevokedTokens(table, message.user_id, message.first_valid)) ? message : undefined
  }
}

export const handler = consume('tidy', async (message, job) => {
  if (message.kind === 'replay') return await stepReplay(job, message)
  const { table, sender } = job
  const next = await step(table, message)
  if (!next) return
  const [sent] = await sender.send([{ queue: 'tidy', body: next }])
  if (!sent?.ok) throw new Error(`The next step could not be sent, so this one is repeated: ${sent?.problem}`)
})
