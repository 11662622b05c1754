// What changes of a post cost, by the life of several posts from their creation to their end.
import { z } from 'zod'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import type { Ask } from '../world/call.ts'
import { type Cost, worst } from './count.ts'
import type { CountedService } from './counted-service.ts'
import { callAdminPosts } from './rows.ts'

const Made = z.object({ data: z.object({ id: z.int() }) })

type Lives = { token: string; slug: string; lives: number }

/** Each as it mostly is, and at most: where a range of 32 is split by it. The posts are gone afterwards. */
export const countWrites = async (service: CountedService, { token, slug, lives }: Lives) => {
  const seen = new Map<string, Cost[]>()
  const count = async (name: string, endpoint: Endpoint, ask: Ask): Promise<string> => {
    const { result, used } = await service.measure(() => callAdminPosts(endpoint, { token, ...ask }))
    if (result.status >= 400) throw new Error(`${name} answered ${result.status} ${result.text}`)
    const { roundTrips, readUnits, writeUnits } = used
    const bytes = Buffer.byteLength(result.text)
    seen.set(name, [...(seen.get(name) ?? []), { roundTrips, readUnits, writeUnits, bytes }])
    return result.text
  }

  const { createPost, publishPost, changePost, unpublishPost, deletePost } = adminPosts
  const posts: number[] = []
  for (let n = 0; n < lives; n++) {
    const body = { ...BODY, slug: `${slug}-${n}` }
    const made = await count('POST /admin/posts', createPost, { body: { ...body, is_published: true } })
    const draft = await count('POST /admin/posts, a draft', createPost, {
      body: { ...body, slug: `${slug}-draft-${n}` },
    })
    posts.push(...[made, draft].map(text => Made.parse(JSON.parse(text)).data.id))
    const params = { id: posts.at(-1) ?? 0 }
    await count('POST /admin/posts/{id}/publish', publishPost, { params })
    await count('PATCH /admin/posts/{id}', changePost, { params, body: { title: 'Another title' } })
  }
  for (const id of posts) {
    await count('POST /admin/posts/{id}/unpublish', unpublishPost, { params: { id } })
    await count('DELETE /admin/posts/{id}', deletePost, { params: { id } })
  }
  return new Map(
    [...seen].flatMap(
      ([name, costs]) =>
        [
          [name, usual(costs)],
          [`${name}, at most`, worst(costs)],
        ] as const,
    ),
  )
}

/** Its entry in a list is about 1 kB. */
const BODY = {
  title: 'A post that is measured',
  short_description: 'What it says in short. '.repeat(10),
  body: '<p>What it says at length.</p>'.repeat(40),
  category_ids: [1],
  featured_image: { original: `https://images.example.com/${'measured/'.repeat(20)}o.jpg` },
}

/** Most changes split no range. */
const usual = (costs: Cost[]): Cost => ({
  roundTrips: Math.min(...costs.map(cost => cost.roundTrips)),
  readUnits: Math.min(...costs.map(cost => cost.readUnits)),
  writeUnits: Math.min(...costs.map(cost => cost.writeUnits)),
  bytes: Math.min(...costs.map(cost => cost.bytes)),
})
