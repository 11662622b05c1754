// Merges changes of posts into the segments of the search index. A message only says that there are some.
import { consume } from '../shared/lambda/consume.ts'
import { updateIndex } from '../shared/search/update-index.ts'

/** The function has 900 s, of which the largest merge of 100,000 posts takes about 200. */
const TIMEOUT_MS = 870_000

export const handler = consume(
  'index',
  (_, { table, work }) => updateIndex({ table, clock: work.clock, mayWait: true }),
  TIMEOUT_MS,
)
