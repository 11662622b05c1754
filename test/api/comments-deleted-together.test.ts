// Hundreds of comments are deleted with their parent or their post, in the background.
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod/mini'
import { clientSettings } from '../../infra/local/account.ts'
import { adminComments, comments, ownComments } from '../../shared/comments/contract.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { threadPartition } from '../../shared/table/design.ts'
import { insertComments } from '../world/comment-world.ts'
import { until } from '../world/until.ts'
import { useWorld } from '../world/world.ts'

const MANY = 250

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
async function createThread() {
  const [post, user] = [
    await world.create.livePost(),
    await world.create.user({ abilities: ['comments:write'] }),
  ]
  const common = { post_id: post.id, user_id: user.id }
  const [root, otherRoot] = await insertComments(world.table, [common, common])
  const [reply] = await insertComments(world.table, [{ ...common, parent: root }])
  await insertComments(
    world.table,
    Array.from({ length: MANY }, (_, n) => ({
      ...common,
      user_id: n % 2 ? user.id : null,
      parent: n % 5 ? root : reply,
      status: n % 10 === 3 ? ('rejected' as const) : ('approved' as const),
    })),
  )
  return { post, user, root: root?.id ?? 0, otherRoot: otherRoot?.id ?? 0 }
}

type Thread = Awaited<ReturnType<typeof createThread>>

/** The totals of the user's list, and of the lists for admins: all, approved, rejected. */
async function totalsOf({ user }: Thread) {
  const token = world.admin
  const answers = await Promise.all([
    world.call(ownComments.listOwnComments, { token: user.token }),
    world.call(adminComments.listComments, { token }),
    world.call(adminComments.listComments, { token, query: { status: 'approved' } }),
    world.call(adminComments.listComments, { token, query: { status: 'rejected' } }),
  ])
  return answers.map(({ pagination }) => pagination.total)
}

async function publicTotal({ post }: Thread) {
  return (await world.call(comments.listComments, { params: { slug: post.slug } })).pagination.total
}

async function countRecords({ post }: Thread) {
  return (await world.table.query({ pk: threadPartition(post.id) }, z.unknown())).length
}

describe('a comment with hundreds of replies', () => {
  it('is hidden and shown alone, and is deleted with all of them, in every list and total', async () => {
    const thread = await createThread()
    const [own = 0, all = 0, approved = 0, rejected = 0] = await totalsOf(thread)
    const shown = await publicTotal(thread)
    expect([own, shown]).toEqual([MANY / 2 + 3, MANY * 0.9 + 3])
    await reject(thread.root)
    expect(await totalsOf(thread)).toEqual([own, all, approved - 1, rejected + 1])
    expect(await publicTotal(thread)).toBe(shown - 1)
    await approve(thread.root)
    expect(await totalsOf(thread)).toEqual([own, all, approved, rejected])
    await remove(thread.root)
    await until('the replies to be deleted', async () => (await countRecords(thread)) === 1)
    const deleted = MANY + 2
    const left = [1, all - deleted, approved - (deleted - MANY / 10), rejected - MANY / 10]
    expect(await totalsOf(thread)).toEqual(left)
    expect(await publicTotal(thread)).toBe(1)
  })
})

describe('deleting a post with hundreds of comments', () => {
  it('deletes them from every list, even if the cleanup message is delivered twice', async () => {
    const thread = await createThread()
    const [, all = 0, approved = 0, rejected = 0] = await totalsOf(thread)
    const { id: post_id, slug } = thread.post
    await world.call(adminPosts.deletePost, asAdmin(post_id))
    const sqs = new SQSClient(clientSettings(world.sqsEndpoint))
    onTestFinished(() => sqs.destroy())
    const MessageBody = JSON.stringify({ kind: 'comments', post_id, path: [] })
    await sqs.send(new SendMessageCommand({ QueueUrl: world.queueUrl('JobsQueue'), MessageBody }))
    expect((await world.call(comments.listComments, { params: { slug } })).code).toBe('NOT_FOUND')
    expect((await approve(thread.root)).code).toBe('NOT_FOUND')
    expect((await remove(thread.otherRoot)).code).toBe('NOT_FOUND')
    const list = { pk: `LIST#comments:post:${post_id}` }
    await until('the comments and their list to be deleted', async () => {
      const entries = await world.table.query(list, z.unknown())
      return entries.length === 0 && (await countRecords(thread)) === 0
    })
    const total = MANY + 3
    const left = [0, all - total, approved - (total - MANY / 10), rejected - MANY / 10]
    expect(await totalsOf(thread)).toEqual(left)
  })
})
