// Writers of posts before and after a restore, and the events that subscribers received of them.
import { adminPosts } from '../../shared/posts/contract.ts'
import type { ReceivedDelivery } from '../support/subscriber.ts'
import type { World } from '../support/world.ts'

const WRITERS = 4

type Load = Pick<World, 'admin' | 'call' | 'create' | 'unique'>

/** Writers publish, change and delete posts until `stop`, which returns all ids that were given. */
export function load(of: Load) {
  const ids: number[] = []
  let isOver = false
  const write = async () => {
    while (!isOver) {
      const { id } = await of.create.livePost()
      ids.push(id)
      await of.call(adminPosts.changePost, {
        token: of.admin,
        params: { id },
        body: { title: of.unique('Changed') },
      })
      if (id % 3 === 0) await of.call(adminPosts.deletePost, { token: of.admin, params: { id } })
    }
  }
  const writing = Promise.all(Array.from({ length: WRITERS }, write))
  return {
    ids,
    stop: async () => {
      isOver = true
      await writing
      return ids
    },
  }
}

export async function postsOf(of: Load): Promise<number[]> {
  const { data } = await of.call(adminPosts.listPosts, { token: of.admin, query: { per_page: 100 } })
  return data.map(({ id }) => id).toSorted((a, b) => a - b)
}

/** At the end of its second, as a subscription of the same second gets no event from before its creation. */
export function eventOf(delivery: ReceivedDelivery, webhookId: number) {
  const id = String(delivery.headers['webhook-id']).replace(`-${webhookId}`, '')
  const { event, occurred_at, data } = delivery
  const happened_ms = Date.parse(occurred_at) + 999
  return { kind: 'event' as const, id, event, occurred_at, happened_ms, request_id: 'test', data }
}
