// Merges changes of posts into the segments of the search index. A message only says that there are some.
import { requireSent } from '../shared/events/sender.ts'
import { consumeBatch } from '../shared/lambda/consume-batch.ts'
import { updateIndex } from '../shared/search/commands/update-index.ts'
import { indexMessage } from '../shared/search/document.ts'

export const handler = consumeBatch('index', async (messages, { table, nowMs, log, sender }) => {
  const outcome = await updateIndex({ table, nowMs, log, mayWait: true })
  // The next run continues, with the posts that were written since.
  if (outcome === 'paused') requireSent(await sender.send([indexMessage(0)]), 'messages to continue')
  return messages.map(() => undefined)
})
