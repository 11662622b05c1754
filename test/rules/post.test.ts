// What a change of a post does to members that random histories do not have: body, excerpt, image, author.
import { describe, expect, it } from 'vitest'
import type { PostChange } from '../../shared/posts/fields.ts'
import { applyChange, type Post } from '../../shared/posts/post.ts'
import { aPost, NOW_SECONDS } from './a-post.ts'

function after(post: Post, change: PostChange) {
  return applyChange(post, change, change.body ?? '', NOW_SECONDS)
}

describe('applyChange', () => {
  const post = aPost({ category_ids: [2, 1], featured_image: { large: 'a:', medium: 'b:' } })

  it.each<[string, PostChange]>([
    ['the body', { body: '<p>Other</p>' }],
    ['the SEO title', { seo_title: 'Other' }],
    ['the meta description', { meta_desc: 'Other' }],
    ['the image', { featured_image: { large: 'https://a.example/other' } }],
    ['the image to null', { featured_image: null }],
    ['the author', { author_id: 2 }],
  ])('raises the version and sets updated_at when it changes %s', (_what, change) => {
    expect(after(post, change)).toMatchObject({ version: 2, updated_at: NOW_SECONDS })
  })

  it.each<[string, PostChange]>([
    ['undefined members', { title: undefined, posted_at: undefined }],
    ['the same body', { body: '' }],
    ['an empty slug', { slug: '' }],
    ['the same categories in another order, one twice', { category_ids: [1, 2, 1] }],
    ['the same image, its members in another order', { featured_image: { medium: 'b:', large: 'a:' } }],
    ['the same author', { author_id: 1 }],
  ])('returns the same object for a change with %s', (_what, change) => {
    expect(after(post, change)).toBe(post)
  })

  it('replaces all sizes of the image', () => {
    const { featured_image } = after(post, { featured_image: { thumbnail: 'c:' } })
    expect(featured_image).toEqual({ thumbnail: 'c:' })
  })

  it('does not set updated_at to an earlier time', () => {
    const { updated_at } = after(aPost({ updated_at: NOW_SECONDS + 3 }), { title: 'Other' })
    expect(updated_at).toBe(NOW_SECONDS + 3)
  })

  it('changes body_version only with the body', () => {
    const post = after(aPost(), { body: 'One' })
    expect(post.body_version).toBe(2)
    const renamed = applyChange(post, { title: 'Other' }, 'One', NOW_SECONDS)
    expect([renamed.version, renamed.body_version, renamed.body_sha256]).toEqual([3, 2, post.body_sha256])
  })
})

describe('the excerpt and the reading time of a post', () => {
  const body = `<p>${'word '.repeat(201)}</p>`

  it('are computed from the body, but a short description replaces the excerpt, without being cut', () => {
    const post = after(aPost(), { body })
    expect([post.excerpt.length, post.reading_time]).toEqual([159, 2])
    const short_description = 'x '.repeat(249)
    const described = applyChange(post, { short_description }, body, NOW_SECONDS)
    expect([described.excerpt, described.reading_time]).toEqual([short_description, 2])
    const shorter = applyChange(described, { body: '' }, '', NOW_SECONDS)
    expect([shorter.excerpt, shorter.reading_time]).toEqual([short_description, 1])
    const back = applyChange(described, { short_description: '' }, body, NOW_SECONDS)
    expect(back.excerpt).toBe(post.excerpt)
  })
})
