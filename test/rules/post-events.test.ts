// What each change of a post tells, case by case.
import { describe, expect, it } from 'vitest'
import { eventsOf, publishedEvent } from '../../shared/posts/events.ts'
import type { Post } from '../../shared/posts/post.ts'
import { draft, live, NOW, overdue, scheduled } from './a-post.ts'

const context = { nowSeconds: NOW, siteUrl: 'https://site.example' }
function names(before: Post | null, after: Post | null) {
  return eventsOf(before, after, context).map(({ event }) => event)
}

const next = { version: 2 }

describe('what is told', () => {
  it.each<[string, Post | null, Post | null, string[]]>([
    ['a new draft', null, draft(), []],
    ['a new scheduled post', null, scheduled(), []],
    ['a new live post', null, live(), ['post.published']],
    ['a new live page', null, live({ content_type: 'page' }), ['page.published']],

    ['a draft that changes', draft(), draft(next), []],
    ['a draft that is scheduled', draft(), scheduled(next), []],
    ['a draft that goes live', draft(), live(next), ['post.published']],
    [
      'a draft that becomes a live page',
      draft(),
      live({ content_type: 'page', ...next }),
      ['page.published'],
    ],
    ['a draft that is deleted', draft(), null, ['post.deleted']],

    ['a scheduled post that changes', scheduled(), scheduled(next), []],
    ['a scheduled post that is put off', scheduled(), scheduled({ posted_at: NOW + 99, ...next }), []],
    ['a scheduled post that is a draft again', scheduled(), draft(next), []],
    [
      'a scheduled post that is moved to now',
      scheduled(),
      live({ posted_at: NOW, ...next }),
      ['post.published'],
    ],
    ['a scheduled post that is deleted', scheduled(), null, ['post.deleted']],

    ['a live post that changes', live(), live(next), ['post.updated']],
    ['a live post that is dated back', live(), live({ posted_at: 5, ...next }), ['post.updated']],
    ['a live post that becomes a page', live(), live({ content_type: 'page', ...next }), ['post.updated']],
    ['a live post that is a draft again', live(), draft(next), ['post.unpublished']],
    ['a live post that is put off', live(), scheduled(next), ['post.unpublished']],
    [
      'a live post that becomes a page and a draft',
      live(),
      draft({ content_type: 'page', ...next }),
      ['post.unpublished'],
    ],
    ['a live post that is deleted', live(), null, ['post.deleted']],
    [
      'a live page that changes',
      live({ content_type: 'page' }),
      live({ content_type: 'page', ...next }),
      ['post.updated'],
    ],
    ['a live page that is a draft again', live({ content_type: 'page' }), draft(next), ['post.unpublished']],
    ['a live page that is deleted', live({ content_type: 'page' }), null, ['post.deleted']],

    ['an overdue post that changes', overdue(), live(next), ['post.published', 'post.updated']],
    ['an overdue post that is a draft again', overdue(), draft(next), ['post.published', 'post.unpublished']],
    ['an overdue post that is put off', overdue(), scheduled(next), ['post.published', 'post.unpublished']],
    ['an overdue post that is deleted', overdue(), null, ['post.published', 'post.deleted']],
    [
      'an overdue page that becomes a post',
      overdue({ content_type: 'page' }),
      live(next),
      ['page.published', 'post.updated'],
    ],
  ])('%s', (_what, before, after, events) => {
    expect(names(before, after)).toEqual(events)
  })
})

describe('its data', () => {
  const data = {
    id: 7,
    slug: 'title',
    url: 'https://site.example/blog/title',
    posted_at: '2026-05-26T14:59:00+00:00',
    title: 'Title',
    content_type: 'post',
    version: 1,
  }

  it('is of the post as it is after the change', () => {
    const [told] = eventsOf(live(), live({ title: 'New', ...next }), context)
    expect(told).toEqual({ event: 'post.updated', data: { ...data, title: 'New', version: 2 } })
  })

  it('names the slug before only where a live post gets another', () => {
    const [told] = eventsOf(live(), live({ slug: 'new', ...next }), context)
    const url = 'https://site.example/blog/new'
    expect(told?.data).toEqual({ ...data, slug: 'new', url, previous_slug: 'title', version: 2 })
    const [gone] = eventsOf(live(), draft({ slug: 'new', ...next }), context)
    expect(gone?.data).not.toHaveProperty('previous_slug')
  })

  it('has the date of a draft that has none as null, and one version more for what is deleted', () => {
    const [told] = eventsOf(draft(), null, context)
    expect(told).toEqual({ event: 'post.deleted', data: { ...data, posted_at: null, version: 2 } })
  })

  it('names the public address: pages at the root, any script encoded', () => {
    const urlOf = (post: Post) => eventsOf(null, post, context)[0]?.data.url
    expect(urlOf(live({ content_type: 'page', slug: 'about' }))).toBe('https://site.example/about')
    expect(urlOf(live({ slug: '東京' }))).toBe('https://site.example/blog/%E6%9D%B1%E4%BA%AC')
  })

  it('is of the post as it was where its time came before the change, dated by the clock', () => {
    const [first, second] = eventsOf(overdue(), live({ slug: 'new', ...next }), context)
    expect(first).toEqual({ event: 'post.published', data, atSeconds: NOW - 60 })
    expect(second).not.toHaveProperty('atSeconds')
    expect(publishedEvent(live(), context.siteUrl)).toEqual({ event: 'post.published', data })
  })
})
