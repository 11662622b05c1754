// Walks of lists through the gateway: all ids from cursor to cursor, and a category to walk through.
import type * as z from 'zod/mini'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { posts } from '../../shared/posts/contract.ts'
import type { World } from '../world/world.ts'

export type Query = Record<string, string | number | boolean>
type Listing = Endpoint<z.ZodMiniType, z.ZodMiniType, z.ZodMiniType, z.ZodMiniType<{ id: number }[]>>

export function walksOf(world: World) {
  /** The ids of a whole walk, and how many answers it took. */
  async function walk(query: Query = {}, list: Listing = posts.listPosts, token?: string) {
    const ids: number[] = []
    let answers = 0
    for (let after: string | null | undefined; after !== null; answers++) {
      const answer = await world.call(list, {
        query: { per_page: 2, ...query, ...(after && { after }) },
        ...(token && { token }),
      })
      ids.push(...answer.data.map(({ id }) => id))
      after = answer.cursor.next
    }
    return { ids, answers }
  }

  async function categoryWith(count: number) {
    const category = await world.create.category()
    const ids: number[] = []
    for (let n = 0; n < count; n++) {
      const posted_at = `2020-01-0${n + 1}`
      ids.push((await world.create.livePost({ posted_at, category_ids: [category.id] })).id)
    }
    return { slug: category.slug, id: category.id, ids }
  }

  function page(query: Query) {
    return world.call(posts.listPosts, { query })
  }

  return { walk, categoryWith, page }
}
