// Creates a scheduled post that becomes due during a test, independent of the speed of the machine.
import { adminPosts } from '../../shared/posts/contract.ts'
import type { AdminPost } from '../../shared/posts/fields.ts'
import type { World } from '../world/world.ts'

const FIRST_SECONDS = 2
const MAX_SECONDS = 128

/**
 * Runs `whileScheduled` and returns its result if the post is still not due afterwards.
 * Otherwise deletes the post and tries again with twice the time.
 */
export async function postDueSoon<Result>(
  world: World,
  members: Record<string, unknown>,
  whileScheduled: (post: AdminPost) => Promise<Result>,
) {
  for (let seconds = FIRST_SECONDS; seconds <= MAX_SECONDS; seconds *= 2) {
    const dueMs = (Math.floor(Date.now() / 1000) + seconds) * 1000
    const post = await world.create.livePost({ ...members, posted_at: new Date(dueMs).toISOString() })
    const result = await whileScheduled(post)
    if (Date.now() < dueMs) return { post, dueMs, result }
    await world.call(adminPosts.deletePost, { token: world.admin, params: { id: post.id } })
  }
  throw new Error(`The calls on a scheduled post took more than ${MAX_SECONDS} s.`)
}
