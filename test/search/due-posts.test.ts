// Scheduled posts are found from their second on, whether or not a worker has announced them.
import { describe, expect, it } from 'vitest'
import { createCategory } from '../../shared/categories/commands.ts'
import { announceDue } from '../../shared/posts/commands/announce.ts'
import { deletePost, unpublishPost, updatePost } from '../../shared/posts/commands/change.ts'
import { createPost } from '../../shared/posts/commands/create.ts'
import type { PostInput } from '../../shared/posts/fields.ts'
import { findHits, type SearchRequest } from '../../shared/search/hits.ts'
import { updateIndex } from '../../shared/search/update-index.ts'
import { INDEX_PARTITION } from '../../shared/table/design.ts'
import { useTable } from '../support/new-table.ts'
import { unitOfWorkOn } from '../support/work.ts'

const world = useTable()

/** The posts are written at NOW, and due at DUE. */
const NOW = 1_800_000_000
const DUE = NOW + 60
const LATER = DUE + 60

function workAt(seconds: number) {
  return unitOfWorkOn(world.table, seconds * 1000)
}

async function scheduled(title: string, members: Partial<PostInput> = {}): Promise<number> {
  const input = { title, is_published: true, posted_at: DUE, ...members }
  return (await createPost(workAt(NOW), input, 1)).data.id
}

function ref(id: number) {
  return { id, requireMatch: () => undefined }
}

function announce(id: number) {
  return announceDue(workAt(DUE), { kind: 'due', post_id: id, posted_at: DUE })
}

function mergeAt(seconds: number) {
  return updateIndex({
    table: world.table,
    clock: () => seconds * 1000,
    log: fail,
  })
}

function fail(_level: string, message: string): void {
  throw new Error(message)
}

/** In the order of their rank, with an exact total. */
async function foundAt(nowSeconds: number, word: string, filter: Partial<SearchRequest> = {}) {
  const request = { words: [word], types: 'all' as const, nowSeconds, skip: 0, take: 50, ...filter }
  const { ids, total } = await findHits(world.table, request)
  expect(total).toBe(ids.length)
  return ids
}

describe('a scheduled post', () => {
  it('is found from its second on, before and after its announcement and a merge, and not earlier', async () => {
    const id = await scheduled('Quokka')
    expect(await foundAt(DUE - 1, 'quokka')).toEqual([])
    expect(await foundAt(DUE, 'quokka')).toEqual([id])
    await mergeAt(DUE)
    expect(await foundAt(DUE, 'quokka')).toEqual([id])
    await announce(id)
    expect(await foundAt(DUE, 'quokka')).toEqual([id])
    await mergeAt(DUE)
    expect(await foundAt(DUE, 'quokka')).toEqual([id])
    expect(await foundAt(LATER, 'quokka')).toEqual([id])
  })

  it('is found with all others of the same second, as a post or a page, and in its category', async () => {
    const category = { name: 'Animals', slug: 'animals', description: '' }
    const { data } = await createCategory(workAt(NOW), category)
    const post = await scheduled('Numbat', { category_ids: [data.id] })
    const page = await scheduled('Numbat', { content_type: 'page' })
    const later = await scheduled('Numbat', { posted_at: DUE + 1 })
    const inBody = await scheduled('Other', { body: '<p>A numbat</p>' })
    expect(await foundAt(DUE, 'numbat')).toEqual([page, post, inBody])
    expect(await foundAt(DUE, 'numbat', { types: 'posts' })).toEqual([post, inBody])
    expect(await foundAt(DUE, 'numbat', { categoryId: data.id })).toEqual([post])
    await announce(page)
    expect(await foundAt(DUE + 1, 'numbat')).toEqual([later, page, post, inBody])
    expect(await foundAt(DUE + 1, 'numbat', { words: ['numbat', 'oth'] })).toEqual([inBody])
  })

  it('is found by every search while it is being announced', async () => {
    for (let n = 0; n < 20; n++) {
      const id = await scheduled(`Wallaby${n}`)
      let isAnnounced = false
      const announcing = announce(id).then(() => {
        isAnnounced = true
      })
      while (!isAnnounced) expect(await foundAt(DUE, `wallaby${n}`)).toEqual([id])
      await announcing
    }
  })

  it('is found by its last words and at its last time', async () => {
    const [changed, moved] = [await scheduled('Bilby'), await scheduled('Bilby')]
    await updatePost(workAt(NOW), ref(changed), { title: 'Bettong' })
    await updatePost(workAt(NOW), ref(moved), { posted_at: LATER })
    expect(await foundAt(DUE, 'bilby')).toEqual([])
    expect(await foundAt(DUE, 'bettong')).toEqual([changed])
    expect(await foundAt(LATER, 'bilby')).toEqual([moved])
  })

  it('is found by its new words only when an edit announces it', async () => {
    const id = await scheduled('Kowari')
    await updatePost(workAt(DUE), ref(id), { title: 'Mulgara' })
    expect(await foundAt(DUE, 'kowari')).toEqual([])
    expect(await foundAt(DUE, 'mulgara')).toEqual([id])
  })

  it('is not found once it was unpublished or deleted, which leaves nothing in the index', async () => {
    const [unpublished, deleted] = [await scheduled('Potoroo'), await scheduled('Potoroo')]
    await unpublishPost(workAt(NOW), ref(unpublished))
    await deletePost(workAt(NOW), ref(deleted))
    expect(await foundAt(DUE, 'potoroo')).toEqual([])
    const left = (await world.dump()).filter(
      ({ pk, sk }) =>
        [`DOC#${unpublished}`, `DOC#${deleted}`].includes(pk) ||
        (pk === INDEX_PARTITION && [unpublished, deleted].includes(Number(sk.split('#').at(-1)))),
    )
    expect(left).toEqual([])
  })

  it('is not found by the words that it had when it was live before, merged or not', async () => {
    const live = { posted_at: NOW - 60 }
    const [merged, pending] = [await scheduled('Dunnart', live), await scheduled('Dunnart')]
    await mergeAt(NOW)
    await announce(pending)
    for (const id of [merged, pending]) {
      await updatePost(workAt(NOW), ref(id), { title: 'Ningaui', posted_at: LATER })
    }
    const expectAll = async () => {
      expect(await foundAt(LATER - 1, 'ningaui')).toEqual([])
      expect(await foundAt(LATER, 'ningaui')).toEqual([pending, merged])
      expect(await foundAt(LATER, 'dunnart')).toEqual([])
    }
    await expectAll()
    await mergeAt(NOW)
    await expectAll()
    await mergeAt(LATER)
    await expectAll()
  })
})

describe('a search', () => {
  it('costs the same with a hundred scheduled posts, and when it is repeated while some are due', async () => {
    const cost = async (nowSeconds: number) => {
      const { used } = await world.measure(() => foundAt(nowSeconds, 'antechinus'))
      return { calls: used.calls, roundTrips: used.roundTrips, readUnits: used.readUnits }
    }
    await foundAt(NOW, 'antechinus')
    const before = await cost(NOW)
    for (let n = 0; n < 100; n++) await scheduled('Antechinus', { posted_at: LATER + n })
    expect(await cost(NOW)).toEqual(before)
    expect(await foundAt(LATER + 1, 'antechinus')).toHaveLength(2)
    expect(await cost(LATER + 1)).toEqual(before)
  })
})
