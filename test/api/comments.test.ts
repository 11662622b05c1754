// Comments of a post as readers see them: pages, totals, replies, and the names of authors.
import { describe, expect, it } from 'vitest'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { ownComments } from '../../shared/comments/contract.ts'
import { adminPosts } from '../../shared/posts/contract.ts'
import { commentWorld } from '../world/comment-world.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()
const { submit, list, approve, reject, submitApproved } = commentWorld(world)

describe('GET /api/v1/posts/{slug}/comments', () => {
  /** A root, a reply to it, and a reply to that. */
  async function thread() {
    const { slug } = await world.create.livePost()
    const root = await submitApproved(slug, { body: 'root' })
    const reply = await submitApproved(slug, { body: 'reply', parent_id: root.id })
    const third = await submitApproved(slug, { body: 'third', parent_id: reply.id })
    const visible = async () => {
      const { data, pagination } = await list(slug)
      expect(pagination.total).toBe(data.length)
      return data.map(({ body, parent_id }) => [body, parent_id])
    }
    return { slug, root, reply, third, visible }
  }

  it('shows a comment whose parent is rejected, with its parent_id', async () => {
    const { slug, root, reply, third, visible } = await thread()
    await reject(root.id)
    expect(await visible()).toEqual([
      ['reply', root.id],
      ['third', reply.id],
    ])
    const late = await submitApproved(slug, { body: 'late', parent_id: reply.id })
    expect(late.parent_id).toBe(reply.id)
    await reject(reply.id)
    expect(await visible()).toEqual([
      ['third', reply.id],
      ['late', reply.id],
    ])
    expect((await submit(slug, { parent_id: third.id })).fields).toHaveProperty('parent_id')
  })

  it('shows a comment alone when it is approved again', async () => {
    const { root, reply, third, visible } = await thread()
    for (const { id } of [root, reply, third]) await reject(id)
    expect(await visible()).toEqual([])
    await approve(reply.id)
    expect(await visible()).toEqual([['reply', root.id]])
  })

  it('returns 404 while the post is not public, and the comments when it is again, even under a new slug', async () => {
    const post = await world.create.livePost()
    const comment = await submitApproved(post.slug)
    const change = (body: unknown) =>
      world.call(adminPosts.changePost, { token: world.admin, params: { id: post.id }, body })
    await change({ is_published: false })
    expect((await list(post.slug)).code).toBe('NOT_FOUND')
    await change({ is_published: true, content_type: 'page' })
    expect((await list(post.slug)).code).toBe('NOT_FOUND')
    await change({ content_type: 'post', slug: `${post.slug}-moved` })
    expect((await list(post.slug)).code).toBe('NOT_FOUND')
    expect((await list(`${post.slug}-moved`)).data).toEqual([{ ...comment, status: 'approved' }])
  })

  it('shows users with the current name and picture of their profile', async () => {
    const { slug } = await world.create.livePost()
    const user = await world.create.user({ abilities: ['comments:write'] })
    await changeUser(world.table, user.id, before => ({ ...before, avatar: 'https://a.example/me.png' }))
    const body = { post_slug: slug, body: 'Mine' }
    const { data } = await world.call(ownComments.createOwnComment, { token: user.token, body })
    await approve(data.id)
    expect((await list(slug)).data[0]?.author).toEqual({
      name: user.name,
      avatar: 'https://a.example/me.png',
    })
  })
})
