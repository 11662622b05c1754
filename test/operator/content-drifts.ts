import {
  bodyKey,
  categoryKey,
  categorySlugKey,
  categoryTotalsKey,
  scheduledKey,
  slugKey,
} from '../../shared/table/design.ts'
import type { World } from '../world/world.ts'
import { type Drift, NOBODY, planting } from './planting.ts'

export function contentDriftsOf(world: World): Drift[] {
  const { given } = world
  const { raw, put, edit, remove, entryOf } = planting(world)
  const scheduled = async () => {
    const seconds = Math.floor(Date.now() / 1000) + 86_400
    const post = await given.livePost({ posted_at: new Date(seconds * 1000).toISOString() })
    return { id: post.id, key: scheduledKey(seconds, post.id), seconds }
  }

  return [
    {
      what: 'a record that lacks an entry in a list',
      plant: async () => {
        const { id } = await given.post()
        await remove(entryOf('drafts:all', id))
        return [`post ${id}: its entry in the list drafts:all is missing.`]
      },
    },
    {
      what: 'an entry that shows what the record no longer says',
      plant: async () => {
        const { id } = await given.livePost()
        const { item, ...entry } = await raw(entryOf('admin:all', id))
        await put({ ...entry, item: { ...Object(item), title: 'Before', version: 0 } })
        return [`post ${id}: its entry in the list admin:all is wrong in title, version.`]
      },
    },
    {
      what: 'a record that stands in a list where it should not',
      plant: async () => {
        const { id } = await given.livePost()
        await put({ ...(await raw(entryOf('admin:all', id))), ...entryOf('drafts:post', id) })
        return [`post ${id}: has a wrong entry in the list drafts:post.`]
      },
    },
    {
      what: 'an entry whose record is gone',
      plant: async () => {
        await put({ ...entryOf('admin:all', NOBODY), item: { id: NOBODY } })
        return [`post ${NOBODY}: does not exist, but its entry in the list admin:all does.`]
      },
    },
    {
      what: 'a count of all categories that is wrong',
      plant: async () => {
        await given.category()
        await edit(categoryTotalsKey, { answer_bytes: 1 })
        return ['categories: their totals are not those of the records.']
      },
    },
    {
      what: 'a slug lock that is missing',
      plant: async () => {
        const { id, slug } = await given.livePost()
        await remove(slugKey(slug))
        return [`post ${id}: its slug lock is missing.`]
      },
    },
    {
      what: 'a slug lock that names another author',
      plant: async () => {
        const { id, slug } = await given.livePost()
        await edit(slugKey(slug), { author_id: NOBODY })
        return [`post ${id}: its slug lock is wrong in author_id.`]
      },
    },
    {
      what: 'a slug lock of a post that has another slug',
      plant: async () => {
        const { id } = await given.post()
        await put({ ...slugKey('left-behind'), id, author_id: 1 })
        return [`post ${id}: has a wrong slug lock.`]
      },
    },
    {
      what: 'a slug lock of a post that is gone, on a slug that another has',
      plant: async () => {
        const { id, slug } = await given.livePost()
        await edit(slugKey(slug), { id: NOBODY + 1 })
        return [`post ${id}: its slug lock is wrong in id.`]
      },
    },
    {
      what: 'a post that waits for its time and is not among those that do',
      plant: async () => {
        const { id, key } = await scheduled()
        await remove(key)
        return [`post ${id}: its row among the scheduled posts is missing.`]
      },
    },
    {
      what: 'a draft among those that wait for their time',
      plant: async () => {
        const [{ key, seconds }, { id }] = [await scheduled(), await given.post()]
        await put({ ...(await raw(key)), ...scheduledKey(seconds, id), id })
        return [`post ${id}: has a wrong row among the scheduled posts.`]
      },
    },
    {
      what: 'a body without a post',
      plant: async () => {
        const { id } = await given.post()
        await put({ ...(await raw(bodyKey(id))), ...bodyKey(NOBODY + 2) })
        return [`post ${NOBODY + 2}: does not exist, but its body does.`]
      },
    },
    {
      what: 'a category whose slug nothing locks, and that is counted wrong',
      plant: async () => {
        const { id, slug } = await given.category()
        await given.livePost({ category_ids: [id] })
        await remove(categorySlugKey(slug))
        await edit(categoryKey(id), { counts: [7] })
        return [`category ${id}: its slug lock is missing.`]
      },
    },
    {
      what: 'a category that is gone, of whose list something is left: no fault of its posts',
      plant: async () => {
        const { id, slug } = await given.category()
        await given.livePost({ category_ids: [id] })
        await remove(categoryKey(id), categorySlugKey(slug))
        return []
      },
    },
  ]
}
