// Counts changes of posts with everything that follows them: fan-out, clean-ups and the search index.
import * as z from 'zod/mini'
import { adminPosts } from '../../shared/posts/contract.ts'
import type { CallOptions } from '../world/call.ts'
import { type Cost, mean } from './count.ts'
import type { CountedService } from './counted-service.ts'
import { call } from './rows.ts'
import { openTexts } from './texts.ts'

export const FOLLOWED = ', with everything that follows'

const CreatedPost = z.object({ data: z.object({ id: z.int() }) })

/** The mean of generated posts, which have words as different as those of a real site. */
export async function countFollowed(
  { measure, drainQueues }: CountedService,
  token: string,
  lives: number,
): Promise<Map<string, Cost>> {
  const textOf = openTexts()
  const { createPost, changePost, deletePost } = adminPosts
  const step = async (
    endpoint: typeof createPost | typeof changePost | typeof deletePost,
    ask: CallOptions,
  ) => {
    const { result, used } = await measure(async () => {
      const answer = await call.admin(endpoint, { ...ask, token })
      await drainQueues()
      return answer
    })
    if (result.status >= 400) throw new Error(`${endpoint.path} answered ${result.status} ${result.text}`)
    return { text: result.text, cost: { ...used, bytes: Buffer.byteLength(result.text) } }
  }

  const costs = { create: [] as Cost[], change: [] as Cost[], remove: [] as Cost[] }
  for (let n = 0; n < lives; n++) {
    const created = await step(createPost, { body: { ...textOf(), is_published: true } })
    costs.create.push(created.cost)
    const params = { id: CreatedPost.parse(JSON.parse(created.text)).data.id }
    costs.change.push((await step(changePost, { params, body: { title: 'Another title' } })).cost)
    costs.remove.push((await step(deletePost, { params })).cost)
  }
  return new Map([
    [`POST /admin/posts${FOLLOWED}`, mean(costs.create)],
    [`PATCH /admin/posts/{id}${FOLLOWED}`, mean(costs.change)],
    [`DELETE /admin/posts/{id}${FOLLOWED}`, mean(costs.remove)],
  ])
}
