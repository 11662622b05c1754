// Hundreds of comments are hidden, shown or deleted with their parent or post, for all readers immediately.
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

function asAdmin(id: number) {
  return { token: world.admin, params: { id } }
}

function reject(id: number) {
  return world.call(adminComments.rejectComment, asAdmin(id))
}

function approve(id: number) {
  return world.call(adminComments.approveComment, asAdmin(id))
}

function remove(id: number) {
  return world.call(adminComments.deleteComment, asAdmin(id))
}

/** A root with many replies, a tenth of them rejected and half of them of one user, and another root. */
async function createThread(replies: number) {
  const [post, user] = [
    await world.create.livePost(),
    await world.create.user({ abilities: ['comments:write'] }),
  ]
  const common = { post_id: post.id, user_id: user.id }
  const [root, otherRoot] = await insertComments(world.table, [common, common])
  const [reply] = await insertComments(world.table, [{ ...common, parent: root }])
  await insertComments(
    world.table,
    Array.from({ length: replies }, (_, n) => ({
      ...common,
      user_id: n % 2 ? user.id : null,
      parent: n % 5 ? root : reply,
      status: n % 10 === 3 ? ('rejected' as const) : ('approved' as const),
    })),
  )
  return { post, user, root: root?.id ?? 0, otherRoot: otherRoot?.id ?? 0 }
}

/** The totals of the public list, the user's list, and the lists for admins: all, approved, rejected. */
async function totalsOf({ post, user }: Awaited<ReturnType<typeof createThread>>) {
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

/** Runs a check during the recount and once after it. Returns how often. */
async function checkDuringRecount(postId: number, check: () => Promise<void>): Promise<number> {
  for (let times = 1; ; times++) {
    const isRunning = await findRecount(world.table, postId)
    await check()
    if (!isRunning) return times
    await pause(100)
  }
}

describe('a comment with hundreds of replies', () => {
  it('hides, shows and deletes all of them immediately, in every list and total', async () => {
    const thread = await createThread(MANY)
    const before = await totalsOf(thread)
    expect(before[0]).toBe(MANY * 0.9 + 3)
    const [, own = 0, all = 0, approved = 0, rejected = 0] = before
    await reject(thread.root)
    await checkDuringRecount(thread.post.id, async () =>
      expect(await totalsOf(thread)).toEqual([1, own, all, approved - 1, rejected + 1]),
    )
    await approve(thread.root)
    // The recount of the approval may still be running when the comment is deleted.
    expect(await totalsOf(thread)).toEqual(before)
    const { data } = await world.call(comments.listOwnComments, { token: thread.user.token })
    await remove(thread.root)
    const deleted = MANY + 2
    const left = [1, 1, all - deleted, approved - (deleted - MANY / 10), rejected - MANY / 10]
    expect(own).toBe(MANY / 2 + 3)
    const times = await checkDuringRecount(thread.post.id, async () => {
      expect(await totalsOf(thread)).toEqual(left)
      for (const { id } of data.slice(0, 2)) expect((await approve(id)).code).toBe('NOT_FOUND')
    })
    expect(times).toBeGreaterThan(1)
    expect(await countRecords(thread.post.id)).toBe(1)
  })
})

async function countRecords(postId: number) {
  return (await world.table.query({ pk: threadPartition(postId) }, z.unknown())).length
}

describe('deleting a post with hundreds of comments', () => {
  it('deletes them from every list immediately, even if the cleanup message is delivered twice', async () => {
    const thread = await createThread(FEWER)
    const [, , all = 0, approved = 0, rejected = 0] = await totalsOf(thread)
    const total = FEWER + 3
    await world.call(adminPosts.deletePost, asAdmin(thread.post.id))
    const stamp = (await findRecount(world.table, thread.post.id))?.stamp ?? ''
    const sqs = new SQSClient(clientSettings(world.sqsEndpoint))
    onTestFinished(() => sqs.destroy())
    const MessageBody = JSON.stringify({ kind: 'comments', post_id: thread.post.id, stamp, from: [] })
    await sqs.send(new SendMessageCommand({ QueueUrl: world.queueUrl('TidyQueue'), MessageBody }))
    const answers = async () => {
      const query = { per_page: 100 }
      const token = world.admin
      const own = world.call(comments.listOwnComments, { token: thread.user.token, query })
      const lists = [undefined, 'approved', 'rejected'].map(status =>
        world.call(adminComments.listComments, { token, query: { ...query, ...(status && { status }) } }),
      )
      const pages = await Promise.all([own, ...lists])
      for (const { data } of pages) {
        expect(data.filter(comment => comment.post_id === thread.post.id)).toEqual([])
      }
      return pages.map(({ pagination }) => pagination.total)
    }
    const left = [0, all - total, approved - (total - FEWER / 10), rejected - FEWER / 10]
    const times = await checkDuringRecount(thread.post.id, async () => {
      expect(await answers()).toEqual(left)
      const { slug } = thread.post
      expect((await world.call(comments.listComments, { params: { slug } })).code).toBe('NOT_FOUND')
      expect((await approve(thread.root)).code).toBe('NOT_FOUND')
      expect((await remove(thread.otherRoot)).code).toBe('NOT_FOUND')
    })
    expect(times).toBeGreaterThan(1)
    expect(await countRecords(thread.post.id)).toBe(0)
    const list = world.table.query({ pk: `LIST#comments:post:${thread.post.id}` }, z.unknown())
    expect(await list).toEqual([])
  })
})
