// What there is to tell after a write of a post: at most one event, that of the change of view.
import type { EventData } from '../events/catalogue.ts'
import { isoTime } from '../http/time.ts'
import type { Occurrence } from '../lambda/work.ts'
import { isDue, isLive, type Post } from './post.ts'

type Data = EventData<'post.published'>

/** `before` is null for a new post, `after` for one that is deleted. */
export const tellingsOf = (
  before: Post | null,
  after: Post | null,
  { now, siteUrl }: { now: number; siteUrl: string },
): Occurrence[] => {
  const overdue = before && isDue(before, now) ? [goneLive(before, siteUrl, before.posted_at ?? now)] : []
  return [...overdue, ...ownTelling(before, after, now, siteUrl)]
}

const ownTelling = (before: Post | null, after: Post | null, now: number, siteUrl: string): Occurrence[] => {
  if (!after)
    return before
      ? [{ event: 'post.deleted', data: postData({ ...before, version: before.version + 1 }, siteUrl) }]
      : []
  const wasLive = before !== null && isLive(before, now)
  const isNowLive = isLive(after, now)
  if (isNowLive && !wasLive) return [goneLive(after, siteUrl)]
  if (wasLive && !isNowLive) return [{ event: 'post.unpublished', data: postData(after, siteUrl) }]
  if (!wasLive) return []
  const renamed = before && before.slug !== after.slug ? { previous_slug: before.slug } : {}
  return [{ event: 'post.updated', data: { ...postData(after, siteUrl), ...renamed } }]
}

/** Going live is one act wherever it happens; by the clock it happened at `atSeconds`. */
export const goneLive = (post: Post, siteUrl: string, atSeconds?: number): Occurrence => ({
  event: post.content_type === 'page' ? 'page.published' : 'post.published',
  data: postData(post, siteUrl),
  ...(atSeconds !== undefined && { atSeconds }),
})

const postData = (post: Post, siteUrl: string): Data => ({
  id: post.id,
  slug: post.slug,
  url: publicUrl(post, siteUrl),
  posted_at: post.posted_at === null ? null : isoTime(post.posted_at),
  title: post.title,
  content_type: post.content_type,
  version: post.version,
})

const publicUrl = ({ slug, content_type }: Post, siteUrl: string): string =>
  `${siteUrl}${content_type === 'page' ? '' : '/blog'}/${encodeURIComponent(slug)}`
