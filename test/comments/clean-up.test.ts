// Setting lists right in steps: each may be done twice or late, and all lists are exact between any two of them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import type { CommentState } from '../../shared/comments/comment.ts'
import { publicList } from '../../shared/comments/lists.ts'
import { findRecount } from '../../shared/comments/store/recounts.ts'
import { commentKey, listPartition } from '../../shared/table/design.ts'
import { insertComments } from '../world/comments.ts'
import { type CommentWorld, openComments, shownOf, type Tidying } from './comment-world.ts'

const MOST_ACTIONS = 100
const Transaction = z.partial(z.object({ TransactItems: z.array(z.unknown()) }))

let world: CommentWorld
let largest = 0
beforeAll(async () => {
  world = await openComments({ range: 2, node: 2 })
  world.client.middlewareStack.add(
    next => args => {
      largest = Math.max(largest, Transaction.parse(args.input).TransactItems?.length ?? 0)
      return next(args)
    },
    { step: 'initialize' },
  )
})
afterAll(() => world.stop())

const RIGHT = 30

/** A root with thirty replies of as many users, on every third an answer, and a comment beside it. */
async function thread(title: string) {
  const post = await world.post(title)
  const of = { post_id: post.id }
  const [root, beside] = await insertComments(world.table, [of, of])
  const replies = await insertComments(
    world.table,
    Array.from({ length: RIGHT }, (_, n) => ({
      ...of,
      parent: root,
      user_id: 1_000 + n,
      status: n % 7 === 0 ? ('pending' as const) : ('approved' as const),
    })),
  )
  const answers = replies.filter((_, n) => n % 3 === 0).map(parent => ({ ...of, parent, user_id: 2 }))
  await insertComments(world.table, answers)
  return { post, root: root?.id ?? 0, beside: beside?.id ?? 0, reply: replies[1]?.id ?? 0 }
}

function newestOrder(): Tidying {
  const message = world.ordered.at(-1)
  if (!message) throw new Error('Nothing was ordered.')
  return message
}

/** All steps, each done twice, and what is seen between them. */
async function tidy(message: Tidying, check: () => Promise<void>): Promise<number> {
  let next: Tidying | undefined = message
  for (let steps = 0; ; steps++) {
    await check()
    if (!next) return steps
    const first: Tidying | undefined = await world.step(next)
    const second: Tidying | undefined = await world.step(next)
    // The second time there is less to do, or nothing: it is never behind.
    next = second ?? (first && (await world.step(first)))
  }
}

async function everybody(post: { slug: string }) {
  return {
    all: await world.read.admin(),
    pending: await world.read.admin('pending'),
    approved: await world.read.admin('approved'),
    two: await world.read.own(2),
    public: await world.read.public(post),
  }
}

function without(ids: (number | string)[], gone: Set<number | string>) {
  return ids.filter(id => !gone.has(id))
}

describe('the replies of a rejected comment', () => {
  it('are hidden, and shown again, in all of their pages between any two steps', async () => {
    const { post, root, beside, reply } = await thread('Hidden')
    const before = await everybody(post)
    expect(before.public).toEqual(shownOf(await world.standingsOf(post)))
    await world.reject(root)
    await tidy(newestOrder(), async () => {
      const { all, two, public: shown } = await everybody(post)
      expect({ all, two, shown }).toEqual({ all: before.all, two: before.two, shown: [beside] })
    })
    expect(await findRecount(world.table, post.id)).toBeUndefined()
    await world.reject(reply)
    await world.approve(root)
    const shown = before.public.filter(id => id !== reply)
    await tidy(newestOrder(), async () => expect(await world.read.public(post)).toEqual(shown))
    expect(await findRecount(world.table, post.id)).toBeUndefined()
    expect(await world.read.public(post)).toEqual(shown)
  })

  it('follow the last change, whatever steps of an earlier one come after it', async () => {
    const { post, root, beside } = await thread('Changed')
    const shown = await world.read.public(post)
    await world.reject(root)
    const late = await world.step(newestOrder())
    await world.approve(root)
    expect(late && (await world.step(late))).toBeUndefined()
    expect(await world.read.public(post)).toEqual(shown)
    await tidy(newestOrder(), async () => expect(await world.read.public(post)).toEqual(shown))
    expect(late && (await world.step(late))).toBeUndefined()
    await world.reject(root)
    await tidy(newestOrder(), async () => expect(await world.read.public(post)).toEqual([beside]))
  })

  it('may be said, judged and deleted while their lists are set right', async () => {
    const { post, root, beside, reply } = await thread('Busy')
    await world.reject(root)
    let next: Tidying | undefined = await world.step(newestOrder())
    const later = await world.say(post, 2, beside)
    await world.reject(reply)
    expect(await world.read.public(post)).toEqual([beside, later.id])
    await world.approve(reply)
    await world.remove(reply)
    next = next && (await world.step(next))
    await world.approve(root)
    await tidy(newestOrder(), async () =>
      expect(await world.read.public(post)).toEqual(shownOf(await world.standingsOf(post))),
    )
    expect(await world.read.public(post)).not.toContain(reply)
  })
})

describe('what is below a deleted comment', () => {
  it('is in no list from then on, and in the end nowhere', async () => {
    const { post, root, beside } = await thread('Deleted')
    const before = await everybody(post)
    const gone = new Set((await world.standingsOf(post)).map(({ id }) => id).filter(id => id !== beside))
    await world.remove(root)
    largest = 0
    const steps = await tidy(newestOrder(), async () =>
      expect(await everybody(post)).toEqual({
        all: without(before.all, gone),
        pending: without(before.pending, gone),
        approved: without(before.approved, gone),
        two: without(before.two, gone),
        public: [beside],
      }),
    )
    expect(steps).toBeGreaterThan(2)
    expect(largest).toBeGreaterThan(40)
    expect(largest).toBeLessThanOrEqual(MOST_ACTIONS)
    expect((await world.standingsOf(post)).map(({ id }) => id)).toEqual([beside])
    expect(await world.table.findMany([...gone].map(id => commentKey(Number(id))))).toEqual([])
    expect(await findRecount(world.table, post.id)).toBeUndefined()
  })
})

describe('the comments of a deleted post', () => {
  it('are in no list from then on, and in the end nowhere, also after a change of theirs that was not done', async () => {
    const { post, root } = await thread('Gone')
    const before = await everybody(post)
    const standings: CommentState[] = await world.standingsOf(post)
    const gone = new Set(standings.map(({ id }) => id))
    await world.reject(root)
    const late = newestOrder()
    await world.removePost(post)
    const last = newestOrder()
    expect(await world.step(late)).toBeUndefined()
    await tidy(last, async () => {
      expect(await world.read.admin()).toEqual(without(before.all, gone))
      expect(await world.read.admin('pending')).toEqual(without(before.pending, gone))
      expect(await world.read.own(2)).toEqual(without(before.two, gone))
      await expect(world.read.public(post)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    })
    expect(await world.standingsOf(post)).toEqual([])
    expect(await world.table.query({ pk: listPartition(publicList(post.id).name) }, z.unknown())).toEqual([])
    expect(await findRecount(world.table, post.id)).toBeUndefined()
  })
})
