// Drifts of posts and categories.
import { expect } from 'vitest'
import {
  bodyKey,
  categoryKey,
  categorySlugKey,
  categoryTotalsKey,
  dueDocKey,
  dueMarkerKey,
  entryKey,
  scheduledKey,
  slugKey,
  timeOrder,
} from '../../../shared/table/design.ts'
import type { World } from '../../support/world.ts'
import { type Drifts, tableEditor, UNUSED_ID } from '../drift.ts'

export function contentDriftsOf(world: World): Drifts {
  const { create } = world
  const { get, put, edit, remove, entryOf } = tableEditor(world)
  const scheduled = async () => {
    const seconds = Math.floor(Date.now() / 1000) + 86_400
    const post = await create.livePost({ posted_at: new Date(seconds * 1000).toISOString() })
    return { id: post.id, key: scheduledKey(seconds, post.id), seconds }
  }

  return {
    'a record that is missing in a list': async () => {
      // Two, as another drift adds an entry to this list, whose count would then be right.
      const ids = [(await create.post()).id, (await create.post()).id]
      for (const id of ids) await remove(entryOf('drafts:post', id))
      return ids.map(id => `post ${id}: its entry in the list drafts:post is missing.`)
    },
    'a list entry with old values of its record': async () => {
      const { id, posted_at } = await create.livePost()
      const key = entryKey('posts', timeOrder(Date.parse(posted_at ?? '') / 1000, id))
      const { item, ...entry } = await get(key)
      await put({ ...entry, item: { ...Object(item), title: 'Before', version: 0 } })
      return [`post ${id}: its entry in the list posts is wrong in title, version.`]
    },
    'a record in a list in which it should not be': async () => {
      const { id } = await create.livePost()
      await put({ ...(await get(entryOf('admin:post', id))), ...entryOf('drafts:post', id) })
      return [`post ${id}: has an unexpected entry in the list drafts:post.`]
    },
    'a list entry of a record that does not exist': async () => {
      await put({ ...entryOf('admin:post', UNUSED_ID), item: { id: UNUSED_ID } })
      return [`post ${UNUSED_ID}: does not exist, but its entry in the list admin:post does.`]
    },
    'wrong totals of the categories': async () => {
      await create.category()
      await edit(categoryTotalsKey, { answer_bytes: 1 })
      return [expect.stringMatching(/^categories: .*answer_bytes is \d+, but must be \d+/)]
    },
    'a slug lock with another author': async () => {
      const { id, slug } = await create.livePost()
      await edit(slugKey(slug), { author_id: UNUSED_ID })
      return [`post ${id}: its slug lock is wrong in author_id.`]
    },
    'a slug lock of a post that has another slug': async () => {
      const { id } = await create.post()
      await put({ ...slugKey('left-behind'), id, author_id: 1 })
      return [`post ${id}: has an unexpected slug lock.`]
    },
    'a slug lock of a deleted post, on the slug of another post': async () => {
      const { id, slug } = await create.livePost()
      await edit(slugKey(slug), { id: UNUSED_ID + 1 })
      return [`post ${id}: its slug lock is wrong in id.`]
    },
    'a scheduled post that is missing among the scheduled posts': async () => {
      const { id, key } = await scheduled()
      await remove(key)
      return [`post ${id}: its row among the scheduled posts is missing.`]
    },
    'scheduled posts without a document or a marker for searches, and leftovers of announced ones':
      async () => {
        const [first, second, third] = [await scheduled(), await scheduled(), await scheduled()]
        await remove(dueDocKey(first.id))
        await remove(dueMarkerKey(second.seconds, second.id))
        await edit(dueDocKey(third.id), { digest: 'of another text' })
        const { id } = await create.livePost()
        await put({ ...dueMarkerKey(second.seconds, id), revision: 1 })
        await put({ ...(await get(dueDocKey(third.id))), ...dueDocKey(UNUSED_ID) })
        const [document, marker] = ['document', 'marker'].map(what => `${what} for searches from its time on`)
        return [
          `post ${first.id}: its ${document} is missing.`,
          `post ${second.id}: its ${marker} is missing.`,
          `post ${third.id}: its ${document} is wrong in digest.`,
          `post ${id}: has an unexpected ${marker}.`,
          `post ${UNUSED_ID}: does not exist, but its ${document} does.`,
        ]
      },
    'a draft among the scheduled posts': async () => {
      const [{ key, seconds }, { id }] = [await scheduled(), await create.post()]
      await put({ ...(await get(key)), ...scheduledKey(seconds, id), id })
      return [`post ${id}: has an unexpected row among the scheduled posts.`]
    },
    'a body without a post': async () => {
      const { id } = await create.post()
      await put({ ...(await get(bodyKey(id))), ...bodyKey(UNUSED_ID + 2) })
      return [`post ${UNUSED_ID + 2}: does not exist, but its body does.`]
    },
    'a category without a slug lock and with a wrong count': async () => {
      const { id, slug } = await create.category()
      await create.livePost({ category_ids: [id] })
      await remove(categorySlugKey(slug))
      await edit(categoryKey(id), { counts: [7] })
      return [`category ${id}: its slug lock is missing.`]
    },
    'a deleted category with list entries left, which is no problem of its posts': async () => {
      const { id, slug } = await create.category()
      await create.livePost({ category_ids: [id] })
      await remove(categoryKey(id), categorySlugKey(slug))
      return []
    },
  }
}
