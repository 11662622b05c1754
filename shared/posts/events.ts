// The events that a change of a post fires: at most one for the change, and before it `published` if the post
// has become due and was not announced yet. No I/O.
import type { DomainEvent, EventData } from '../events/catalogue.ts'
import { isoTime } from '../http/time.ts'
import { isLive, type Post } from './post.ts'

type PostEventData = EventData<'post.published'>

/** `before` is null when a post is created, `after` when it is deleted. */
export function eventsOf(
  before: Post | null,
  after: Post | null,
  { nowSeconds, siteUrl }: { nowSeconds: number; siteUrl: string },
): DomainEvent[] {
  const isOverdue = before && isLive(before, nowSeconds) && !before.announced
  const overdue = isOverdue ? [publishedEvent(before, siteUrl, before.posted_at ?? nowSeconds)] : []
  return [...overdue, ...changeEvents(before, after, nowSeconds, siteUrl)]
}

function changeEvents(
  before: Post | null,
  after: Post | null,
  nowSeconds: number,
  siteUrl: string,
): DomainEvent[] {
  if (!after) {
    // A deletion has a version of its own, by which receivers put it after the last change.
    return before
      ? [{ event: 'post.deleted', data: postData({ ...before, version: before.version + 1 }, siteUrl) }]
      : []
  }
  const wasLive = before !== null && isLive(before, nowSeconds)
  const isNowLive = isLive(after, nowSeconds)
  if (isNowLive && !wasLive) return [publishedEvent(after, siteUrl)]
  if (wasLive && !isNowLive) return [{ event: 'post.unpublished', data: postData(after, siteUrl) }]
  if (!wasLive) return []
  const previousSlug = before && before.slug !== after.slug ? { previous_slug: before.slug } : {}
  return [{ event: 'post.updated', data: { ...postData(after, siteUrl), ...previousSlug } }]
}

/** `atSeconds` is the time of publication if the post became due by the clock. */
export function publishedEvent(post: Post, siteUrl: string, atSeconds?: number): DomainEvent {
  return {
    event: post.content_type === 'page' ? 'page.published' : 'post.published',
    data: postData(post, siteUrl),
    ...(atSeconds !== undefined && { atSeconds }),
  }
}

function postData(post: Post, siteUrl: string): PostEventData {
  return {
    id: post.id,
    slug: post.slug,
    url: publicUrl(post, siteUrl),
    posted_at: post.posted_at === null ? null : isoTime(post.posted_at),
    title: post.title,
    content_type: post.content_type,
    version: post.version,
  }
}

export function publicUrl(
  { slug, content_type }: Pick<Post, 'slug' | 'content_type'>,
  siteUrl: string,
): string {
  return `${siteUrl}${content_type === 'page' ? '' : '/blog'}/${encodeURIComponent(slug)}`
}
