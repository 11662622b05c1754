// The cleanup in steps: a step may run twice or late, and lists are exact between two steps.
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { publicList } from '../../shared/comments/comment.ts'
import { mapConcurrently } from '../../shared/table/concurrency.ts'
import { commentKey, listPartition } from '../../shared/table/design.ts'
import { use } from '../support/use.ts'
import { type CleanUpMessage, openComments, visibleIds } from './comment-world.ts'

const MAX_ACTIONS = 100
const Transaction = z.partial(z.object({ TransactItems: z.array(z.unknown()) }))

const world = use(() => openComments({ range: 2, node: 2 }))
let largest = 0
beforeAll(async () => {
  world.client.around((next, _, input) => {
    largest = Math.max(largest, Transaction.parse(input).TransactItems?.length ?? 0)
    return next()
  })
})

const REPLIES = 120
const AT_ONCE = 4

/** A root with many replies of as many users, a reply to every third of them, and another root. */
async function thread(title: string) {
  const post = await world.post(title)
  const [root, other] = [await world.submit(post, null), await world.submit(post, null)]
  await mapConcurrently(Array(REPLIES).keys(), AT_ONCE, async n => {
    const isPending = n % 7 === 1
    const { id } = await world.submit(post, 1_000 + n, root.id, isPending)
    if (n % 3 === 0 && !isPending) await world.submit(post, 2, id)
  })
  return { post, root: root.id, other: other.id }
}

function newestMessage(): CleanUpMessage {
  const message = world.messages.at(-1)
  if (!message) throw new Error('No cleanup message was sent.')
  return message
}

/** Runs all steps, each of them twice, and checks the lists between them. Returns the number of steps. */
async function cleanUpAll(message: CleanUpMessage, check: () => Promise<void>): Promise<number> {
  for (let steps = 1; ; steps++) {
    await check()
    const isMore = await world.cleanUp(message)
    await world.cleanUp(message)
    await check()
    if (!isMore) return steps
  }
}

/** Every list has exactly the comments that exist. */
async function expectExact(post: { id: number; slug: string }, others: number[]) {
  const states = await world.statesOf(post)
  const ids = states.map(({ id }) => id)
  expect(await world.read.admin()).toEqual([...others, ...ids].sort((a, b) => b - a))
  const pending = states.filter(({ status }) => status === 'pending').map(({ id }) => id)
  expect(await world.read.admin('pending')).toEqual(pending.sort((a, b) => b - a))
  const ofTwo = states.filter(({ user_id }) => user_id === 2).map(({ id }) => id)
  expect(await world.read.own(2)).toEqual(ofTwo.sort((a, b) => b - a))
  return visibleIds(states)
}

async function others(): Promise<number[]> {
  return (await world.read.admin()).map(Number)
}

describe('cleanUpComments after a comment was deleted', () => {
  it('deletes the replies from every list by the end, and no other comment', async () => {
    const before = await others()
    const { post, root, other } = await thread('Deleted')
    const deleted = (await world.statesOf(post)).map(({ id }) => id).filter(id => id !== other)
    await world.remove(root)
    largest = 0
    const steps = await cleanUpAll(newestMessage(), async () => {
      expect(await world.read.public(post)).toEqual(await expectExact(post, before))
    })
    expect(steps).toBeGreaterThan(1)
    expect(largest).toBeGreaterThan(40)
    expect(largest).toBeLessThanOrEqual(MAX_ACTIONS)
    expect((await world.statesOf(post)).map(({ id }) => id)).toEqual([other])
    expect(await world.table.findMany(deleted.map(commentKey))).toEqual([])
    await world.remove(other)
  })
})

describe('cleanUpComments after a post was deleted', () => {
  it('deletes the comments and their lists, even if the cleanup of a comment had not run', async () => {
    const before = await others()
    const { post, root } = await thread('Gone')
    await world.remove(root)
    const lateMessage = newestMessage()
    await world.removePost(post)
    const last = newestMessage()
    await world.cleanUp(lateMessage)
    await cleanUpAll(last, async () => {
      await expectExact(post, before)
      await expect(world.read.public(post)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    })
    expect(await world.cleanUp(lateMessage)).toBe(false)
    expect(await world.statesOf(post)).toEqual([])
    expect(await world.table.query({ pk: listPartition(publicList(post.id).name) }, z.unknown())).toEqual([])
  })
})
