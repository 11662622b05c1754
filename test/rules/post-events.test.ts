// The events of each change of a post, and their data.
import { describe, expect, it } from 'vitest'
import { eventsOf, publishedEvent } from '../../shared/posts/events.ts'
import type { Post } from '../../shared/posts/post.ts'
import { draft, live, NOW_SECONDS, overdue, scheduled } from './a-post.ts'

const context = { nowSeconds: NOW_SECONDS, siteUrl: 'https://site.example' }
function names(before: Post | null, after: Post | null) {
  return eventsOf(before, after, context).map(({ event }) => event)
}

const next = { version: 2 }

describe('eventsOf', () => {
  it.each<[string, Post | null, Post | null, string[]]>([
    ['a new draft', null, draft(), []],
    ['a new scheduled post', null, scheduled(), []],
    ['a new live post', null, live(), ['post.published']],
    ['a new live page', null, live({ content_type: 'page' }), ['page.published']],

    ['a changed draft', draft(), draft(next), []],
    ['a draft that is scheduled', draft(), scheduled(next), []],
    ['a draft that goes live', draft(), live(next), ['post.published']],
    [
      'a draft that becomes a live page',
      draft(),
      live({ content_type: 'page', ...next }),
      ['page.published'],
    ],
    ['a deleted draft', draft(), null, ['post.deleted']],

    ['a changed scheduled post', scheduled(), scheduled(next), []],
    [
      'a scheduled post that is rescheduled',
      scheduled(),
      scheduled({ posted_at: NOW_SECONDS + 99, ...next }),
      [],
    ],
    ['a scheduled post that becomes a draft', scheduled(), draft(next), []],
    [
      'a scheduled post that is published now',
      scheduled(),
      live({ posted_at: NOW_SECONDS, ...next }),
      ['post.published'],
    ],
    ['a deleted scheduled post', scheduled(), null, ['post.deleted']],

    ['a changed live post', live(), live(next), ['post.updated']],
    ['a live post that gets an earlier date', live(), live({ posted_at: 5, ...next }), ['post.updated']],
    ['a live post that becomes a page', live(), live({ content_type: 'page', ...next }), ['post.updated']],
    ['a live post that becomes a draft', live(), draft(next), ['post.unpublished']],
    ['a live post that is rescheduled', live(), scheduled(next), ['post.unpublished']],
    [
      'a live post that becomes a draft page',
      live(),
      draft({ content_type: 'page', ...next }),
      ['post.unpublished'],
    ],
    ['a deleted live post', live(), null, ['post.deleted']],
    [
      'a changed live page',
      live({ content_type: 'page' }),
      live({ content_type: 'page', ...next }),
      ['post.updated'],
    ],
    ['a live page that becomes a draft', live({ content_type: 'page' }), draft(next), ['post.unpublished']],
    ['a deleted live page', live({ content_type: 'page' }), null, ['post.deleted']],

    ['a changed overdue post', overdue(), live(next), ['post.published', 'post.updated']],
    ['an overdue post that becomes a draft', overdue(), draft(next), ['post.published', 'post.unpublished']],
    [
      'an overdue post that is rescheduled',
      overdue(),
      scheduled(next),
      ['post.published', 'post.unpublished'],
    ],
    ['a deleted overdue post', overdue(), null, ['post.published', 'post.deleted']],
    [
      'an overdue page that becomes a post',
      overdue({ content_type: 'page' }),
      live(next),
      ['page.published', 'post.updated'],
    ],
  ])('returns the events of %s', (_what, before, after, events) => {
    expect(names(before, after)).toEqual(events)
  })
})

describe('the data of a post event', () => {
  const data = {
    id: 7,
    slug: 'title',
    url: 'https://site.example/blog/title',
    posted_at: '2026-05-26T14:59:00+00:00',
    title: 'Title',
    content_type: 'post',
    version: 1,
  }

  it('describes the post after the change', () => {
    const [event] = eventsOf(live(), live({ title: 'New', ...next }), context)
    expect(event).toEqual({ event: 'post.updated', data: { ...data, title: 'New', version: 2 } })
  })

  it('has previous_slug only if a live post gets another slug and stays live', () => {
    const [updated] = eventsOf(live(), live({ slug: 'new', ...next }), context)
    const url = 'https://site.example/blog/new'
    expect(updated?.data).toEqual({ ...data, slug: 'new', url, previous_slug: 'title', version: 2 })
    const [unpublished] = eventsOf(live(), draft({ slug: 'new', ...next }), context)
    expect(unpublished?.data).not.toHaveProperty('previous_slug')
  })

  it('has null as the date of a draft without a date, and the next version for a deleted post', () => {
    const [event] = eventsOf(draft(), null, context)
    expect(event).toEqual({ event: 'post.deleted', data: { ...data, posted_at: null, version: 2 } })
  })

  it('has the public URL, with pages at the root and the slug encoded', () => {
    const urlOf = (post: Post) => eventsOf(null, post, context)[0]?.data.url
    expect(urlOf(live({ content_type: 'page', slug: 'about' }))).toBe('https://site.example/about')
    expect(urlOf(live({ slug: '東京' }))).toBe('https://site.example/blog/%E6%9D%B1%E4%BA%AC')
  })

  it('describes an overdue post before the change, with posted_at as the time of the event', () => {
    const [first, second] = eventsOf(overdue(), live({ slug: 'new', ...next }), context)
    expect(first).toEqual({ event: 'post.published', data, atSeconds: NOW_SECONDS - 60 })
    expect(second).not.toHaveProperty('atSeconds')
    expect(publishedEvent(live(), context.siteUrl)).toEqual({ event: 'post.published', data })
  })
})
