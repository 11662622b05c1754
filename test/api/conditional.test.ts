// Conditional requests: 304 for an unchanged answer, 412 for a change of an outdated version.
import { describe, expect, it } from 'vitest'
import { adminCategories, categories } from '../../shared/categories/contract.ts'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import { adminPosts, posts } from '../../shared/posts/contract.ts'
import { useWorld } from '../world/world.ts'

const world = useWorld()

function tagOf({ headers }: { headers: Headers }): string {
  return headers.get('ETag') ?? ''
}

describe('a public read', () => {
  it('has a weak ETag, and returns 304 for it, for a list with it and for *', async () => {
    const { slug } = await world.create.livePost()
    const params = { slug }
    const first = await world.call(posts.getPost, { params })
    const tag = tagOf(first)
    expect(tag).toMatch(/^W\/"[\w-]{20,}"$/)
    expect(first.headers.get('Cache-Control')).toBe('public, no-cache')
    expect(first.headers.get('Vary')).toBe('Accept-Encoding')

    for (const have of [tag, tag.slice(2), `"other", ${tag}`, '*']) {
      const again = await world.call(posts.getPost, { params, headers: { 'If-None-Match': have } })
      expect([again.status, again.text, tagOf(again)]).toEqual([304, '', tag])
    }
    const other = await world.call(posts.getPost, { params, headers: { 'If-None-Match': 'W/"other"' } })
    expect(other.status).toBe(200)
  })

  it('has the same ETag for any order of the members of a picture in the table', async () => {
    const [thumbnail, medium, large, original] = ['t', 'm', 'l', 'o'].map(size => `https://a.example/${size}`)
    const { slug } = await world.create.livePost({ featured_image: { original, large, medium, thumbnail } })
    const tags = new Set<string>()
    for (let n = 0; n < 8; n++) tags.add(tagOf(await world.call(posts.getPost, { params: { slug } })))
    expect(tags.size).toBe(1)
  })

  it('has another ETag after any visible change', async () => {
    const category = await world.create.category()
    const { id, slug } = await world.create.livePost({ category_ids: [category.id] })
    const read = async () => [
      tagOf(await world.call(posts.getPost, { params: { slug } })),
      tagOf(await world.call(categories.listPostsOfCategory, { params: { slug: category.slug } })),
    ]
    const before = await read()
    expect(await read()).toEqual(before)

    const renaming = { params: { id: category.id }, body: { name: 'Another name' }, token: world.admin }
    await world.call(adminCategories.changeCategory, renaming)
    const renamed = await read()
    expect(renamed[0]).not.toBe(before[0])
    expect(renamed[1]).not.toBe(before[1])

    await world.call(adminPosts.unpublishPost, { params: { id }, token: world.admin })
    expect((await read())[1]).not.toBe(renamed[1])
  })
})

describe.each(['PATCH', 'DELETE', 'publish', 'unpublish'] as const)('%s with If-Match', act => {
  const endpoint = {
    PATCH: adminPosts.changePost,
    DELETE: adminPosts.deletePost,
    publish: adminPosts.publishPost,
    unpublish: adminPosts.unpublishPost,
  }[act]
  const change = (id: number, ifMatch: string, body: unknown = { title: 'Changed' }) =>
    world.call(endpoint, { params: { id }, token: world.admin, headers: { 'If-Match': ifMatch }, body })

  it('returns 412 for an outdated version, and changes nothing', async () => {
    const { id } = await world.create.livePost()
    const read = () => world.call(adminPosts.getPost, { params: { id }, token: world.admin })
    const old = tagOf(await read())
    await world.call(adminPosts.changePost, { params: { id }, token: world.admin, body: { title: 'Newer' } })
    const current = await read()

    expect((await change(id, old)).code).toBe('PRECONDITION_FAILED')
    expect((await change(id, `W/${tagOf(current)}`)).code).toBe('PRECONDITION_FAILED')
    expect((await read()).text).toBe(current.text)
    expect((await change(id, `"other", ${tagOf(current)}`)).status).toBe(200)
  })

  it('accepts *, and returns 404 for an unknown id', async () => {
    const { id } = await world.create.livePost()
    expect((await change(id, '*')).status).toBe(200)
    expect((await change(999_999, '"1.x"')).code).toBe('NOT_FOUND')
  })
})

describe('an admin read of one record', () => {
  it('has the ETag "<version>.<hash>", as writes have, and returns 304 for it', async () => {
    const category = await world.create.category()
    const { id } = await world.create.post({ category_ids: [category.id] })
    const records: [Endpoint, number][] = [
      [adminPosts.getPost, id],
      [adminCategories.getCategory, category.id],
    ]
    for (const [endpoint, target] of records) {
      const first = await world.call(endpoint, { params: { id: target }, token: world.admin })
      expect(tagOf(first)).toMatch(/^"1\.[\w-]{20,}"$/)
      const headers = { 'If-None-Match': tagOf(first) }
      expect(
        (await world.call(endpoint, { params: { id: target }, token: world.admin, headers })).status,
      ).toBe(304)
    }
    const changed = await world.call(adminPosts.changePost, {
      params: { id },
      token: world.admin,
      body: { title: 'B' },
    })
    expect(tagOf(changed)).toMatch(/^"2\./)
  })
})
