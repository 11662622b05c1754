// The search index follows the posts.
import { consumeTogether } from '../shared/lambda/consume-together.ts'
import { indexEach } from '../shared/search/index-posts.ts'

export const handler = consumeTogether('index', async (messages, { table, nowMs }) => {
  const problems = await indexEach(
    table,
    messages.map(({ post_id }) => post_id),
    nowMs,
  )
  return messages.map(({ post_id }) => problems.get(post_id))
})
