// What goes along with a comment or a post, however many they are: gone for everybody from the answer on.
import { setTimeout as pause } from 'node:timers/promises'
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod/mini'
import { clientSettings } from '../../infra/local/account.ts'
import { adminComments, comments } from '../../shared/comments/contract.ts'
import { findRecount } from '../../shared/comments/store/recounts.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { threadPartition } from '../../shared/table/design.ts'
import { insertComments } from '../world/comments.ts'
import { useWorld } from '../world/world.ts'

const MANY = 250
const FEWER = 120

const world = useWorld({ settings: { 'comments.require_approval': false } })

function asked(id: number) {
  return { token: world.admin, params: { id } }
}

function reject(id: number) {
  return world.call(adminComments.rejectComment, asked(id))
}

function approve(id: number) {
  return world.call(adminComments.approveComment, asked(id))
}

function remove(id: number) {
  return world.call(adminComments.deleteComment, asked(id))
}

/** A root with many replies, some of them rejected, half of them of one user, and one comment beside it. */
async function thread(many: number) {
  const [post, user] = [
    await world.given.livePost(),
    await world.given.user({ abilities: ['comments:write'] }),
  ]
  const of = { post_id: post.id, user_id: user.id }
  const [root, beside] = await insertComments(world.table, [of, of])
  const [reply] = await insertComments(world.table, [{ ...of, parent: root }])
  await insertComments(
    world.table,
    Array.from({ length: many }, (_, n) => ({
      ...of,
      user_id: n % 2 ? user.id : null,
      parent: n % 5 ? root : reply,
      status: n % 10 === 3 ? ('rejected' as const) : ('approved' as const),
    })),
  )
  return { post, user, root: root?.id ?? 0, beside: beside?.id ?? 0 }
}

/** Of the public list, the user's, and those of admins; each page agrees with its total. */
async function totalsOf({ post, user }: Awaited<ReturnType<typeof thread>>) {
  const query = { per_page: 100, page: 3 }
  const token = world.admin
  const answers = await Promise.all([
    world.call(comments.listComments, { params: { slug: post.slug }, query }),
    world.call(comments.listOwnComments, { token: user.token, query }),
    world.call(adminComments.listComments, { token, query }),
    world.call(adminComments.listComments, { token, query: { ...query, status: 'approved' } }),
    world.call(adminComments.listComments, { token, query: { ...query, status: 'rejected' } }),
  ])
  return answers.map(({ data, pagination }) => {
    expect(data.length).toBe(Math.min(100, Math.max(0, pagination.total - 200)))
    return pagination.total
  })
}

/** Asks while the lists are set right, and once more after it. */
async function whileMoving(postId: number, ask: () => Promise<void>): Promise<number> {
  for (let times = 1; ; times++) {
    const isMoving = await findRecount(world.table, postId)
    await ask()
    if (!isMoving) return times
    await pause(100)
  }
}

describe('a comment with hundreds of replies', () => {
  it('hides and shows them all at once for readers, and takes them along for everybody', async () => {
    const made = await thread(MANY)
    const before = await totalsOf(made)
    expect(before[0]).toBe(MANY * 0.9 + 3)
    const [, own = 0, all = 0, good = 0, bad = 0] = before
    await reject(made.root)
    await whileMoving(made.post.id, async () =>
      expect(await totalsOf(made)).toEqual([1, own, all, good - 1, bad + 1]),
    )
    await approve(made.root)
    // Its lists are not right again yet when it goes.
    expect(await totalsOf(made)).toEqual(before)
    const { data } = await world.call(comments.listOwnComments, { token: made.user.token })
    await remove(made.root)
    const gone = MANY + 2
    const left = [1, 1, all - gone, good - (gone - MANY / 10), bad - MANY / 10]
    expect(own).toBe(MANY / 2 + 3)
    const times = await whileMoving(made.post.id, async () => {
      expect(await totalsOf(made)).toEqual(left)
      for (const { id } of data.slice(0, 2)) expect((await approve(id)).code).toBe('NOT_FOUND')
    })
    expect(times).toBeGreaterThan(1)
    expect(await leftOf(made.post.id)).toBe(1)
  })
})

async function leftOf(postId: number) {
  return (await world.table.query({ pk: threadPartition(postId) }, z.unknown())).length
}

describe('deleting a post with hundreds of comments', () => {
  it('takes them along, for readers, authors and admins, whoever is told to clear up how often', async () => {
    const made = await thread(FEWER)
    const [, , all = 0, good = 0, bad = 0] = await totalsOf(made)
    const total = FEWER + 3
    await world.call(adminPosts.deletePost, asked(made.post.id))
    const stamp = (await findRecount(world.table, made.post.id))?.stamp ?? ''
    const sqs = new SQSClient(clientSettings(world.sqsEndpoint))
    onTestFinished(() => sqs.destroy())
    const MessageBody = JSON.stringify({ kind: 'comments', post_id: made.post.id, stamp, from: [] })
    await sqs.send(new SendMessageCommand({ QueueUrl: world.queueUrl('TidyQueue'), MessageBody }))
    const answers = async () => {
      const query = { per_page: 100 }
      const token = world.admin
      const own = world.call(comments.listOwnComments, { token: made.user.token, query })
      const lists = [undefined, 'approved', 'rejected'].map(status =>
        world.call(adminComments.listComments, { token, query: { ...query, ...(status && { status }) } }),
      )
      const found = await Promise.all([own, ...lists])
      for (const { data } of found) expect(data.filter(one => one.post_id === made.post.id)).toEqual([])
      return found.map(({ pagination }) => pagination.total)
    }
    const left = [0, all - total, good - (total - FEWER / 10), bad - FEWER / 10]
    const times = await whileMoving(made.post.id, async () => {
      expect(await answers()).toEqual(left)
      const { slug } = made.post
      expect((await world.call(comments.listComments, { params: { slug } })).code).toBe('NOT_FOUND')
      expect((await approve(made.root)).code).toBe('NOT_FOUND')
      expect((await remove(made.beside)).code).toBe('NOT_FOUND')
    })
    expect(times).toBeGreaterThan(1)
    expect(await leftOf(made.post.id)).toBe(0)
    const list = world.table.query({ pk: `LIST#comments:post:${made.post.id}` }, z.unknown())
    expect(await list).toEqual([])
  })
})
