// The cleanup of lists in batches: a batch may run twice or late, and lists are exact between two batches.
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import type { CommentState } from '../../shared/comments/comment.ts'
import { publicList } from '../../shared/comments/lists.ts'
import { findRecount } from '../../shared/comments/store/recounts.ts'
import { commentKey, listPartition } from '../../shared/table/design.ts'
import { insertComments } from '../world/comments.ts'
import { use } from '../world/use.ts'
import { type CleanUpMessage, openComments, visibleIds } from './comment-world.ts'

const MAX_ACTIONS = 100
const Transaction = z.partial(z.object({ TransactItems: z.array(z.unknown()) }))

const world = use(() => openComments({ range: 2, node: 2 }))
let largest = 0
beforeAll(async () => {
  world.client.middlewareStack.add(
    next => args => {
      largest = Math.max(largest, Transaction.parse(args.input).TransactItems?.length ?? 0)
      return next(args)
    },
    { step: 'initialize' },
  )
})

const REPLIES = 30

/** A root with thirty replies of thirty users, a reply to every third of them, and another root. */
async function thread(title: string) {
  const post = await world.post(title)
  const onPost = { post_id: post.id }
  const [root, other] = await insertComments(world.table, [onPost, onPost])
  const replies = await insertComments(
    world.table,
    Array.from({ length: REPLIES }, (_, n) => ({
      ...onPost,
      parent: root,
      user_id: 1_000 + n,
      status: n % 7 === 0 ? ('pending' as const) : ('approved' as const),
    })),
  )
  const answers = replies.filter((_, n) => n % 3 === 0).map(parent => ({ ...onPost, parent, user_id: 2 }))
  await insertComments(world.table, answers)
  return { post, root: root?.id ?? 0, other: other?.id ?? 0, reply: replies[1]?.id ?? 0 }
}

function newestMessage(): CleanUpMessage {
  const message = world.messages.at(-1)
  if (!message) throw new Error('No cleanup message was sent.')
  return message
}

/** Runs all batches, each of them twice, and checks the lists between them. Returns the number of batches. */
async function cleanUpAll(message: CleanUpMessage, check: () => Promise<void>): Promise<number> {
  let next: CleanUpMessage | undefined = message
  for (let batches = 0; ; batches++) {
    await check()
    if (!next) return batches
    const first: CleanUpMessage | undefined = await world.cleanUp(next)
    const second: CleanUpMessage | undefined = await world.cleanUp(next)
    // The second run may return nothing, but never an earlier batch.
    next = second ?? (first && (await world.cleanUp(first)))
  }
}

async function readAll(post: { slug: string }) {
  return {
    all: await world.read.admin(),
    pending: await world.read.admin('pending'),
    approved: await world.read.admin('approved'),
    ownOfTwo: await world.read.own(2),
    public: await world.read.public(post),
  }
}

function without(ids: (number | string)[], deleted: Set<number | string>) {
  return ids.filter(id => !deleted.has(id))
}

describe('cleanUpComments after a comment was rejected', () => {
  it('keeps the replies hidden, or visible again, on every page between any two batches', async () => {
    const { post, root, other, reply } = await thread('Hidden')
    const before = await readAll(post)
    expect(before.public).toEqual(visibleIds(await world.statesOf(post)))
    await world.reject(root)
    await cleanUpAll(newestMessage(), async () => {
      const { all, ownOfTwo, public: visible } = await readAll(post)
      expect({ all, ownOfTwo, shown: visible }).toEqual({
        all: before.all,
        ownOfTwo: before.ownOfTwo,
        shown: [other],
      })
    })
    expect(await findRecount(world.table, post.id)).toBeUndefined()
    await world.reject(reply)
    await world.approve(root)
    const visible = before.public.filter(id => id !== reply)
    await cleanUpAll(newestMessage(), async () => expect(await world.read.public(post)).toEqual(visible))
    expect(await findRecount(world.table, post.id)).toBeUndefined()
    expect(await world.read.public(post)).toEqual(visible)
  })

  it('follows the newest change, even if a batch of an earlier change runs after it', async () => {
    const { post, root, other } = await thread('Changed')
    const visible = await world.read.public(post)
    await world.reject(root)
    const lateMessage = await world.cleanUp(newestMessage())
    await world.approve(root)
    expect(lateMessage && (await world.cleanUp(lateMessage))).toBeUndefined()
    expect(await world.read.public(post)).toEqual(visible)
    await cleanUpAll(newestMessage(), async () => expect(await world.read.public(post)).toEqual(visible))
    expect(lateMessage && (await world.cleanUp(lateMessage))).toBeUndefined()
    await world.reject(root)
    await cleanUpAll(newestMessage(), async () => expect(await world.read.public(post)).toEqual([other]))
  })

  it('allows replies to be created, moderated and deleted between batches', async () => {
    const { post, root, other, reply } = await thread('Busy')
    await world.reject(root)
    let next: CleanUpMessage | undefined = await world.cleanUp(newestMessage())
    const later = await world.submit(post, 2, other)
    await world.reject(reply)
    expect(await world.read.public(post)).toEqual([other, later.id])
    await world.approve(reply)
    await world.remove(reply)
    next = next && (await world.cleanUp(next))
    await world.approve(root)
    await cleanUpAll(newestMessage(), async () =>
      expect(await world.read.public(post)).toEqual(visibleIds(await world.statesOf(post))),
    )
    expect(await world.read.public(post)).not.toContain(reply)
  })
})

describe('cleanUpComments after a comment was deleted', () => {
  it('hides the replies from every list immediately, and deletes them by the end', async () => {
    const { post, root, other } = await thread('Deleted')
    const before = await readAll(post)
    const deleted = new Set((await world.statesOf(post)).map(({ id }) => id).filter(id => id !== other))
    await world.remove(root)
    largest = 0
    const batches = await cleanUpAll(newestMessage(), async () =>
      expect(await readAll(post)).toEqual({
        all: without(before.all, deleted),
        pending: without(before.pending, deleted),
        approved: without(before.approved, deleted),
        ownOfTwo: without(before.ownOfTwo, deleted),
        public: [other],
      }),
    )
    expect(batches).toBeGreaterThan(2)
    expect(largest).toBeGreaterThan(40)
    expect(largest).toBeLessThanOrEqual(MAX_ACTIONS)
    expect((await world.statesOf(post)).map(({ id }) => id)).toEqual([other])
    expect(await world.table.findMany([...deleted].map(id => commentKey(Number(id))))).toEqual([])
    expect(await findRecount(world.table, post.id)).toBeUndefined()
  })
})

describe('cleanUpComments after a post was deleted', () => {
  it('hides the comments from every list immediately and deletes them, even if an earlier cleanup had not run', async () => {
    const { post, root } = await thread('Gone')
    const before = await readAll(post)
    const states: CommentState[] = await world.statesOf(post)
    const deleted = new Set(states.map(({ id }) => id))
    await world.reject(root)
    const lateMessage = newestMessage()
    await world.removePost(post)
    const last = newestMessage()
    expect(await world.cleanUp(lateMessage)).toBeUndefined()
    await cleanUpAll(last, async () => {
      expect(await world.read.admin()).toEqual(without(before.all, deleted))
      expect(await world.read.admin('pending')).toEqual(without(before.pending, deleted))
      expect(await world.read.own(2)).toEqual(without(before.ownOfTwo, deleted))
      await expect(world.read.public(post)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    })
    expect(await world.statesOf(post)).toEqual([])
    expect(await world.table.query({ pk: listPartition(publicList(post.id).name) }, z.unknown())).toEqual([])
    expect(await findRecount(world.table, post.id)).toBeUndefined()
  })
})
