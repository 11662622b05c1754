// Searches through the gateway, and waits for the index.
import { expect } from 'vitest'
import { posts, search } from '../../shared/posts/contract.ts'
import { until } from '../world/until.ts'
import type { World } from '../world/world.ts'

export function searchesIn(world: World) {
  const searchFor = async (q: string, per_page = 50) =>
    (await world.call(search.search, { query: { q, per_page: String(per_page) } })).data

  const idsFor = async (q: string) => (await searchFor(q)).posts.map(({ id }) => id)

  /** Waits for the index worker, which alone makes very long texts findable. */
  const indexed = () => until('the index to be updated', () => world.isIndexed())

  const expectHits = async (q: string, ids: number[]) => {
    expect(await idsFor(q)).toEqual(ids)
  }

  const listPosts = (query: Record<string, string>) => world.call(posts.listPosts, { query })

  return { searchFor, idsFor, indexed, expectHits, listPosts }
}
