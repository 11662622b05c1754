// A table with posts and their index, with clients that run a hook between two calls.

import { connectLocally } from '../../infra/local/dynamodb/table.ts'
import { deletePost, updatePost } from '../../shared/posts/commands/change.ts'
import { createPost } from '../../shared/posts/commands/create.ts'
import { findHits } from '../../shared/search/hits.ts'
import { updateIndex } from '../../shared/search/update-index.ts'
import { targetOn } from '../import-export/table-context.ts'
import { interceptable } from '../support/interceptable.ts'
import { newTable } from '../support/new-table.ts'
import { unitOfWorkOn } from '../support/work.ts'
import { contextOf } from './operator-world.ts'

export async function openIndexWorld() {
  const world = await newTable()
  const work = () => unitOfWorkOn(world.table)
  const livePost = async (
    title: string,
    members: { body?: string; posted_at?: number } = {},
  ): Promise<number> => {
    const input = { title, is_published: true, posted_at: 1_700_000_000, ...members }
    return (await createPost(work(), input, 1)).data.id
  }
  const change = (id: number, members: { title?: string; body?: string }) =>
    updatePost(work(), { id, requireMatch: () => undefined }, members)
  const remove = (id: number) => deletePost(work(), { id, requireMatch: () => undefined })
  /** Merges what is pending, at this time. */
  const merge = (nowMs = Date.now(), table = world.table) => updateIndex({ table, clock: () => nowMs })

  /** A client on the same table that runs `hook` before the nth such call whose input contains `pk`. */
  const clientWithHookBefore = (name: string, nth: number, hook: () => Promise<unknown>, pk = '') => {
    const client = interceptable(connectLocally(world.endpoint))
    let calls = 0
    client.around(async (next, operation, input) => {
      const isMeant = operation === name && JSON.stringify(input).includes(pk)
      if (isMeant && ++calls === nth) await hook()
      return await next()
    })
    return client
  }

  /** `nowMs` is the clock of the command. */
  const contextOn = (client = world.client, nowMs = Date.now()) =>
    contextOf(targetOn(world, { client }), nowMs)

  const idsFor = async (word: string) =>
    (await findHits(world.table, { words: [word], types: 'all', nowSeconds: 0, skip: 0, take: 50 })).ids

  return { ...world, livePost, change, remove, merge, clientWithHookBefore, contextOn, idsFor }
}
