// Counts the cost of changes of posts: alone, and with everything that follows them.
import * as z from 'zod/mini'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import type { CallOptions } from '../support/call.ts'
import type { Usage } from '../support/usage.ts'
import { least, worst } from './count.ts'
import type { CountedService } from './counted-service.ts'
import { openTexts } from './site.ts'

const { createPost, publishPost, changePost, unpublishPost, deletePost } = adminPosts
const CreatedPost = z.object({ data: z.object({ id: z.int() }) })

/** A post whose list entry is about 1 kB. */
const BODY = {
  title: 'A post that is measured',
  short_description: 'What it says in short. '.repeat(10),
  body: '<p>What it says at length.</p>'.repeat(40),
  category_ids: [1],
  featured_image: { original: `https://images.example.com/${'measured/'.repeat(20)}o.jpg` },
}

/** Makes one call, which must succeed, and notes its cost. Returns the parameters of the post. */
type Step = (name: string, endpoint: Endpoint, ask: CallOptions) => Promise<{ params: { id: number } }>

function stepsOf({ call, measure, drainQueues }: CountedService, token: string, isFollowed: boolean) {
  const costs = new Map<string, Usage[]>()
  const step: Step = async (name, endpoint, ask) => {
    const { result, used } = await measure(async () => {
      const answer = await call(endpoint, { ...ask, token })
      if (isFollowed) await drainQueues()
      return answer
    })
    if (result.status >= 400) throw new Error(`${name} answered ${result.status} ${result.text}`)
    costs.set(name, [...(costs.get(name) ?? []), used])
    const created = CreatedPost.safeParse(JSON.parse(result.text)).data
    return { params: { id: created?.data.id ?? 0 } }
  }
  return { step, costs }
}

/** Usually, and at most, which is when a change splits a node of a list. */
export async function countWrites(service: CountedService, token: string): Promise<[string, Usage][]> {
  const { step, costs } = stepsOf(service, token, false)
  const posts: { params: { id: number } }[] = []
  // All posts are created before the first is deleted, so that lists grow and shrink.
  for (const n of [1, 2]) {
    const live = { ...BODY, slug: `measured-${n}`, is_published: true }
    posts.push(await step('POST /admin/posts', createPost, { body: live }))
    const body = { ...BODY, slug: `measured-draft-${n}` }
    const draft = await step('POST /admin/posts, a draft', createPost, { body })
    posts.push(draft)
    await step('POST /admin/posts/{id}/publish', publishPost, draft)
    await step('PATCH /admin/posts/{id}', changePost, { ...draft, body: { title: 'Another title' } })
  }
  for (const post of posts) {
    await step('POST /admin/posts/{id}/unpublish', unpublishPost, post)
    await step('DELETE /admin/posts/{id}', deletePost, post)
  }
  // Unprocessed messages would make later searches and lists of comments more expensive.
  await service.drainQueues()
  return [...costs].flatMap(([name, all]): [string, Usage][] => [
    [name, least(all)],
    [`${name}, at most`, worst(all)],
  ])
}

/** Counts for a generated post, which has words as different as those of a real site. */
export async function countFollowed(service: CountedService, token: string): Promise<[string, Usage][]> {
  const { step, costs } = stepsOf(service, token, true)
  const body = { ...openTexts()(), is_published: true }
  const post = await step('POST /admin/posts', createPost, { body })
  await step('PATCH /admin/posts/{id}', changePost, { ...post, body: { title: 'Another title' } })
  await step('DELETE /admin/posts/{id}', deletePost, post)
  return [...costs].map(([name, all]) => [`${name}, with everything that follows`, worst(all)])
}
