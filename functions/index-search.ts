// Updates the search index after changes of posts.
import { consumeBatch } from '../shared/lambda/consume-batch.ts'
import { indexEach } from '../shared/search/commands/index-posts.ts'

export const handler = consumeBatch('index', async (messages, { table, nowMs }) => {
  const problems = await indexEach(
    table,
    messages.map(({ post_id }) => post_id),
    nowMs,
  )
  return messages.map(({ post_id }) => problems.get(post_id))
})
