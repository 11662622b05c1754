// The search index follows the posts.
import { consumeTogether } from '../shared/lambda/consume-together.ts'
import { indexPosts } from '../shared/search/index-posts.ts'

export const handler = consumeTogether('index', (messages, { table, nowMs }) =>
  indexPosts(
    table,
    messages.map(({ post_id }) => post_id),
    nowMs,
  ),
)
