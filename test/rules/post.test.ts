// What a change makes of a post, and what is no change.
import { describe, expect, it } from 'vitest'
import type { PostChange } from '../../shared/posts/fields.ts'
import { applyChange, newPost, type Post, publish, statusOf, unpublish } from '../../shared/posts/post.ts'
import { aPost, draft, live, NOW, overdue, scheduled } from './a-post.ts'

const given = { id: 7, slug: 'title', authorId: 1, nowSeconds: NOW }
function after(post: Post, change: PostChange) {
  return applyChange(post, change, change.body ?? '', NOW)
}

describe('a new post', () => {
  it('is a draft without a date', () => {
    expect(newPost({ title: 'T' }, given)).toMatchObject({
      content_type: 'post',
      is_published: false,
      posted_at: null,
      category_ids: [],
      featured_image: {},
      excerpt: '',
      reading_time: 1,
      version: 1,
      created_at: NOW,
      updated_at: NOW,
      announced: false,
    })
  })

  it.each<[string, PostChange, number | null, string]>([
    ['published without a date', { is_published: true }, NOW, 'published'],
    ['published with null for a date', { is_published: true, posted_at: null }, NOW, 'published'],
    ['published of old', { is_published: true, posted_at: 5 }, 5, 'published'],
    ['published for later', { is_published: true, posted_at: NOW + 1 }, NOW + 1, 'scheduled'],
    ['a draft with a date', { posted_at: NOW + 1 }, NOW + 1, 'draft'],
  ])('%s', (_what, change, postedAt, status) => {
    const post = newPost({ title: 'T', ...change }, given)
    expect([post.posted_at, statusOf(post, NOW)]).toEqual([postedAt, status])
    expect(post.announced).toBe(status === 'published')
  })
})

describe('a status', () => {
  it('is published from the very second on', () => {
    const post = scheduled({ posted_at: NOW })
    expect([NOW - 1, NOW, NOW + 1].map(nowSeconds => statusOf(post, nowSeconds))).toEqual([
      'scheduled',
      'published',
      'published',
    ])
  })
})

describe('a change', () => {
  it.each<[string, PostChange]>([
    ['the title', { title: 'Other' }],
    ['the slug', { slug: 'other' }],
    ['the body', { body: '<p>Other</p>' }],
    ['the short description', { short_description: 'Other' }],
    ['the kind', { content_type: 'page' }],
    ['that it is published', { is_published: false }],
    ['its date', { posted_at: NOW - 61 }],
    ['a date taken away', { posted_at: null }],
    ['the SEO title', { seo_title: 'Other' }],
    ['the meta description', { meta_desc: 'Other' }],
    ['the categories', { category_ids: [1, 2, 3] }],
    ['no category', { category_ids: [] }],
    ['the picture', { featured_image: { large: 'https://a.example/other' } }],
    ['no picture', { featured_image: null }],
    ['the author', { author_id: 2 }],
  ])('of %s makes one version more, now', (_what, change) => {
    const post = live({ category_ids: [2, 1], featured_image: { large: 'https://a.example/' } })
    expect(after(post, change)).toMatchObject({ version: 2, updated_at: NOW })
  })

  it.each<[string, PostChange]>([
    ['nothing', {}],
    ['undefined members', { title: undefined, posted_at: undefined }],
    ['what it is already', { title: 'Title', slug: 'title', is_published: true, posted_at: NOW - 60 }],
    ['the same body', { body: '<p>Text</p>' }],
    ['no slug', { slug: '' }],
    ['the same categories in another order, one twice', { category_ids: [2, 1, 2] }],
    ['the same picture, its members in another order', { featured_image: { medium: 'b:', large: 'a:' } }],
    ['the same author', { author_id: 1 }],
  ])('of %s is none: the very same post', (_what, change) => {
    const made = newPost({ title: 'Title', body: '<p>Text</p>' }, { ...given, nowSeconds: 1 })
    const post: Post = {
      ...made,
      is_published: true,
      posted_at: NOW - 60,
      category_ids: [1, 2],
      featured_image: { large: 'a:', medium: 'b:' },
    }
    expect(applyChange(post, change, '<p>Text</p>', NOW)).toBe(post)
  })

  it('replaces categories and picture whole, folding duplicates', () => {
    const post = draft({ category_ids: [1], featured_image: { large: 'a:', medium: 'b:' } })
    const { category_ids, featured_image } = after(post, {
      category_ids: [9, 3, 9],
      featured_image: { thumbnail: 'c:' },
    })
    expect([category_ids, featured_image]).toEqual([[9, 3], { thumbnail: 'c:' }])
  })

  it('keeps the moment of a newer change that it comes after', () => {
    expect(after(draft({ updated_at: NOW + 3 }), { title: 'Other' }).updated_at).toBe(NOW + 3)
  })

  it('leaves the version of the body alone unless that is another', () => {
    const post = after(draft(), { body: 'One' })
    expect(post.body_version).toBe(2)
    const renamed = applyChange(post, { title: 'Other' }, 'One', NOW)
    expect([renamed.version, renamed.body_version, renamed.body_sha256]).toEqual([3, 2, post.body_sha256])
  })
})

describe('excerpt and reading time', () => {
  const body = `<p>${'word '.repeat(201)}</p>`

  it('are of the body, until there is a short description', () => {
    const post = after(draft(), { body })
    expect([post.excerpt.length, post.reading_time]).toEqual([159, 2])
    const described = applyChange(post, { short_description: 'Short' }, body, NOW)
    expect([described.excerpt, described.reading_time]).toEqual(['Short', 2])
    const back = applyChange(described, { short_description: '' }, body, NOW)
    expect(back.excerpt).toBe(post.excerpt)
  })

  it('follow a new body, the excerpt only without a short description', () => {
    const post = after(draft({ short_description: 'Short', excerpt: 'Short' }), { body })
    expect([post.excerpt, post.reading_time]).toEqual(['Short', 2])
    expect(applyChange(post, { body: '' }, '', NOW)).toMatchObject({ excerpt: 'Short', reading_time: 1 })
  })

  it('take a short description whole, however long', () => {
    expect(after(draft(), { short_description: 'x '.repeat(249) }).excerpt).toHaveLength(498)
  })
})

describe('publishing', () => {
  it.each([
    ['a draft without a date goes live now', draft(), NOW, 'published'],
    ['a draft of old keeps its date', draft({ posted_at: 5 }), 5, 'published'],
    ['a draft for later is scheduled', draft({ posted_at: NOW + 1 }), NOW + 1, 'scheduled'],
  ])('%s', (_what, post, postedAt, status) => {
    const result = publish(post, NOW)
    expect([result.posted_at, statusOf(result, NOW), result.version]).toEqual([postedAt, status, 2])
  })

  it('changes nothing of what is published, scheduled or overdue', () => {
    for (const post of [live(), scheduled(), overdue()]) expect(publish(post, NOW)).toBe(post)
  })
})

describe('unpublishing', () => {
  it('makes a draft of what was published, with its date', () => {
    for (const post of [live(), scheduled(), overdue()]) {
      expect(unpublish(post, NOW)).toEqual({
        ...post,
        is_published: false,
        announced: false,
        version: 2,
        updated_at: NOW,
      })
    }
  })

  it('changes nothing of a draft', () => {
    const post = aPost({ posted_at: NOW })
    expect(unpublish(post, NOW)).toBe(post)
  })
})
