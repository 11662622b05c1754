// The rules of posts: creating, changing, publishing and unpublishing.
import { describe, expect, it } from 'vitest'
import type { PostChange } from '../../shared/posts/fields.ts'
import { applyChange, newPost, type Post, publish, statusOf, unpublish } from '../../shared/posts/post.ts'
import { aPost, draft, live, NOW_SECONDS, overdue, scheduled } from './a-post.ts'

const identity = { id: 7, slug: 'title', authorId: 1, nowSeconds: NOW_SECONDS }
function after(post: Post, change: PostChange) {
  return applyChange(post, change, change.body ?? '', NOW_SECONDS)
}

describe('newPost', () => {
  it('returns a draft without a date by default', () => {
    expect(newPost({ title: 'T' }, identity)).toMatchObject({
      content_type: 'post',
      is_published: false,
      posted_at: null,
      category_ids: [],
      featured_image: {},
      excerpt: '',
      reading_time: 1,
      version: 1,
      created_at: NOW_SECONDS,
      updated_at: NOW_SECONDS,
      announced: false,
    })
  })

  it.each<[string, PostChange, number | null, string]>([
    ['publishes now without a date', { is_published: true }, NOW_SECONDS, 'published'],
    ['publishes now if the date is null', { is_published: true, posted_at: null }, NOW_SECONDS, 'published'],
    ['keeps a date in the past', { is_published: true, posted_at: 5 }, 5, 'published'],
    [
      'schedules by a date in the future',
      { is_published: true, posted_at: NOW_SECONDS + 1 },
      NOW_SECONDS + 1,
      'scheduled',
    ],
    ['keeps the date of a draft', { posted_at: NOW_SECONDS + 1 }, NOW_SECONDS + 1, 'draft'],
  ])('%s', (_what, change, postedAt, status) => {
    const post = newPost({ title: 'T', ...change }, identity)
    expect([post.posted_at, statusOf(post, NOW_SECONDS)]).toEqual([postedAt, status])
    expect(post.announced).toBe(status === 'published')
  })
})

describe('statusOf', () => {
  it('returns "published" from the second of posted_at on', () => {
    const post = scheduled({ posted_at: NOW_SECONDS })
    expect(
      [NOW_SECONDS - 1, NOW_SECONDS, NOW_SECONDS + 1].map(nowSeconds => statusOf(post, nowSeconds)),
    ).toEqual(['scheduled', 'published', 'published'])
  })
})

describe('applyChange', () => {
  it.each<[string, PostChange]>([
    ['the title', { title: 'Other' }],
    ['the slug', { slug: 'other' }],
    ['the body', { body: '<p>Other</p>' }],
    ['the short description', { short_description: 'Other' }],
    ['the content type', { content_type: 'page' }],
    ['is_published', { is_published: false }],
    ['the date', { posted_at: NOW_SECONDS - 61 }],
    ['the date to null', { posted_at: null }],
    ['the SEO title', { seo_title: 'Other' }],
    ['the meta description', { meta_desc: 'Other' }],
    ['the categories', { category_ids: [1, 2, 3] }],
    ['the categories to none', { category_ids: [] }],
    ['the image', { featured_image: { large: 'https://a.example/other' } }],
    ['the image to null', { featured_image: null }],
    ['the author', { author_id: 2 }],
  ])('raises the version and sets updated_at when it changes %s', (_what, change) => {
    const post = live({ category_ids: [2, 1], featured_image: { large: 'https://a.example/' } })
    expect(after(post, change)).toMatchObject({ version: 2, updated_at: NOW_SECONDS })
  })

  it.each<[string, PostChange]>([
    ['no members', {}],
    ['undefined members', { title: undefined, posted_at: undefined }],
    ['the stored values', { title: 'Title', slug: 'title', is_published: true, posted_at: NOW_SECONDS - 60 }],
    ['the same body', { body: '<p>Text</p>' }],
    ['an empty slug', { slug: '' }],
    ['the same categories in another order, one twice', { category_ids: [2, 1, 2] }],
    ['the same image, its members in another order', { featured_image: { medium: 'b:', large: 'a:' } }],
    ['the same author', { author_id: 1 }],
  ])('returns the same object for a change with %s', (_what, change) => {
    const post: Post = {
      ...newPost({ title: 'Title', body: '<p>Text</p>' }, { ...identity, nowSeconds: 1 }),
      is_published: true,
      posted_at: NOW_SECONDS - 60,
      category_ids: [1, 2],
      featured_image: { large: 'a:', medium: 'b:' },
    }
    expect(applyChange(post, change, '<p>Text</p>', NOW_SECONDS)).toBe(post)
  })

  it('replaces all categories, without duplicates, and all sizes of the image', () => {
    const post = draft({ category_ids: [1], featured_image: { large: 'a:', medium: 'b:' } })
    const { category_ids, featured_image } = after(post, {
      category_ids: [9, 3, 9],
      featured_image: { thumbnail: 'c:' },
    })
    expect([category_ids, featured_image]).toEqual([[9, 3], { thumbnail: 'c:' }])
  })

  it('does not set updated_at to an earlier time', () => {
    expect(after(draft({ updated_at: NOW_SECONDS + 3 }), { title: 'Other' }).updated_at).toBe(NOW_SECONDS + 3)
  })

  it('changes body_version only with the body', () => {
    const post = after(draft(), { body: 'One' })
    expect(post.body_version).toBe(2)
    const renamed = applyChange(post, { title: 'Other' }, 'One', NOW_SECONDS)
    expect([renamed.version, renamed.body_version, renamed.body_sha256]).toEqual([3, 2, post.body_sha256])
  })
})

describe('the excerpt and the reading time of a post', () => {
  const body = `<p>${'word '.repeat(201)}</p>`

  it('are computed from the body, but a short description replaces the excerpt', () => {
    const post = after(draft(), { body })
    expect([post.excerpt.length, post.reading_time]).toEqual([159, 2])
    const described = applyChange(post, { short_description: 'Short' }, body, NOW_SECONDS)
    expect([described.excerpt, described.reading_time]).toEqual(['Short', 2])
    const back = applyChange(described, { short_description: '' }, body, NOW_SECONDS)
    expect(back.excerpt).toBe(post.excerpt)
  })

  it('change with the body, but the excerpt stays the short description', () => {
    const post = after(draft({ short_description: 'Short', excerpt: 'Short' }), { body })
    expect([post.excerpt, post.reading_time]).toEqual(['Short', 2])
    expect(applyChange(post, { body: '' }, '', NOW_SECONDS)).toMatchObject({
      excerpt: 'Short',
      reading_time: 1,
    })
  })

  it('use a short description without cutting it', () => {
    expect(after(draft(), { short_description: 'x '.repeat(249) }).excerpt).toHaveLength(498)
  })
})

describe('publish', () => {
  it.each([
    ['publishes a draft without a date now', draft(), NOW_SECONDS, 'published'],
    ['keeps a date in the past', draft({ posted_at: 5 }), 5, 'published'],
    [
      'schedules a draft by a date in the future',
      draft({ posted_at: NOW_SECONDS + 1 }),
      NOW_SECONDS + 1,
      'scheduled',
    ],
  ])('%s', (_what, post, postedAt, status) => {
    const result = publish(post, NOW_SECONDS)
    expect([result.posted_at, statusOf(result, NOW_SECONDS), result.version]).toEqual([postedAt, status, 2])
  })

  it('returns a published, scheduled or overdue post unchanged', () => {
    for (const post of [live(), scheduled(), overdue()]) expect(publish(post, NOW_SECONDS)).toBe(post)
  })
})

describe('unpublish', () => {
  it('turns a live, scheduled or overdue post into a draft with the same date', () => {
    for (const post of [live(), scheduled(), overdue()]) {
      expect(unpublish(post, NOW_SECONDS)).toEqual({
        ...post,
        is_published: false,
        announced: false,
        version: 2,
        updated_at: NOW_SECONDS,
      })
    }
  })

  it('returns a draft unchanged', () => {
    const post = aPost({ posted_at: NOW_SECONDS })
    expect(unpublish(post, NOW_SECONDS)).toBe(post)
  })
})
