// Merges changes of posts into the segments of the search index. A message only says that there are some.
import { requireSent } from '../shared/events/sqs.ts'
import { consume } from '../shared/lambda/consume.ts'
import { updateIndex } from '../shared/search/commands/update-index.ts'
import { INDEX_MESSAGE } from '../shared/search/document.ts'

/** The function has 120 s, and a step of a merge is not broken off. */
const TIMEOUT_MS = 50_000

export const handler = consume(
  'index',
  async (_, { table, nowMs, log, sender }) => {
    const outcome = await updateIndex({ table, nowMs, log, mayWait: true })
    // The next run continues, with the posts that were written since.
    if (outcome === 'paused') requireSent(await sender.send([INDEX_MESSAGE]), 'messages to continue')
  },
  { timeoutMs: TIMEOUT_MS },
)
