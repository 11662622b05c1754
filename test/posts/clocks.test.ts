// Two functions whose clocks differ by seconds, or a request that takes as long, change one post.
import { beforeAll, describe, expect, it } from 'vitest'
import type { Sender } from '../../shared/events/sqs.ts'
import { deletePost, updatePost } from '../../shared/posts/commands/change.ts'
import { createPost } from '../../shared/posts/commands/create.ts'
import { postKey } from '../../shared/table/design.ts'
import { createUserWith } from '../support/create.ts'
import { useTable } from '../support/new-table.ts'
import { unitOfWorkOn, wantEveryEvent } from '../support/work.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const world = useTable()
const fired: string[] = []
const sender: Sender = {
  send: async messages => {
    fired.push(...messages.flatMap(({ body }) => ('event' in body ? [String(body.event)] : [])))
    return messages.map(() => ({ ok: true }))
  },
}
let author: number
beforeAll(async () => {
  await wantEveryEvent(world.table)
  author = (await createUserWith(world.table, ['user'], { atSeconds: NOW / 1000 })).id
})

/** A unit of work of a function whose clock says so much less. */
function early(ms: number) {
  return unitOfWorkOn(world.table, NOW - ms, sender)
}

async function publishedPost() {
  const { data } = await createPost(early(0), { title: 'A post' }, author)
  const post = { id: data.id, requireMatch: () => undefined }
  const published = await updatePost(early(0), post, { is_published: true })
  fired.splice(0)
  return { post, published }
}

describe('a change of a scheduled post whose last change has the time of its publication, as an import may say', () => {
  it('fires nothing, and leaves it scheduled', async () => {
    const posted_at = NOW / 1000 + 3_600
    const input = { title: 'A post', is_published: true, posted_at }
    const { data } = await createPost(early(0), input, author)
    const Update = {
      Key: postKey(data.id),
      UpdateExpression: 'SET updated_at = :due',
      ExpressionAttributeValues: { ':due': posted_at },
    }
    await world.table.write({ Update })
    const post = { id: data.id, requireMatch: () => undefined }
    const changed = await updatePost(early(0), post, { title: 'Another title' })
    expect([changed.data.status, fired]).toEqual(['scheduled', []])
  })
})

describe('a request whose time is before the publish that it finds', () => {
  it('is answered as after it when it publishes once more', async () => {
    const { post, published } = await publishedPost()
    expect(await updatePost(early(2_000), post, { is_published: true })).toEqual(published)
    expect(fired).toEqual([])
  })

  it('fires the event of its own change alone, and leaves the post published', async () => {
    const { post } = await publishedPost()
    const { data } = await updatePost(early(2_000), post, { title: 'Another title' })
    expect([data.status, fired]).toEqual(['published', ['post.updated']])
    expect((await updatePost(early(0), post, { title: 'A third title' })).data.status).toBe('published')
    await deletePost(early(2_000), post)
    expect(fired).toEqual(['post.updated', 'post.updated', 'post.deleted'])
  })
})
