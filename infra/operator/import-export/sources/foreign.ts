// What all other systems have in common: their texts, dates and slugs, made to fit the rules of this service.
import { normalize } from '../../../../shared/http/normalize.ts'
import { beginningOf, codePoints, isHttpUrl } from '../../../../shared/http/text.ts'
import { parseTime } from '../../../../shared/http/time.ts'
import { isSlug, LONGEST_SLUG, slugFrom } from '../../../../shared/slugs/slug.ts'
import type { PostItem, Unusable } from '../item.ts'

/** In one line, cut to its longest length. */
export function lineOf(text: string, longest: number): string {
  return cutTo(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim(), longest)
}

export function cutTo(text: string, longest: number): string {
  const whole = text.toWellFormed()
  const cut = beginningOf(whole, longest)
  return cut === whole ? whole : cut.trim()
}

const WITH_ZONE = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(Z|UTC|[+-]\d\d:?\d\d)?$/

/** Epoch seconds; null for no date, and for one that cannot be read. Without an offset it is UTC. */
export function secondsOf(value: unknown): number | null {
  if (value instanceof Date) return inRange(Math.floor(value.getTime() / 1000))
  if (typeof value === 'number') return inRange(Math.floor(value > 1e11 ? value / 1000 : value))
  if (typeof value !== 'string' || value.trim() === '' || value.startsWith('0000')) return null
  const [, day, time, zone] = WITH_ZONE.exec(value.trim()) ?? []
  const seconds = parseTime(day ? `${day}T${time}${zone === 'UTC' ? 'Z' : (zone ?? '')}` : value)
  if (seconds !== null) return seconds
  const utc = Date.parse(`${value} UTC`)
  return inRange(Math.floor((Number.isNaN(utc) ? Date.parse(value) : utc) / 1000))
}

const FIRST_YEAR_SECONDS = -62_167_219_200
const LAST_SECOND = 253_402_300_799

function inRange(seconds: number): number | null {
  return seconds >= FIRST_YEAR_SECONDS && seconds <= LAST_SECOND ? seconds : null
}

/** Slugs of one source, each once. A second record of the same slug gets a number. */
export function openSlugs() {
  const given = new Set<string>()
  return (slug: string, title: string, fallback: string): string => {
    const wanted = normalize(decoded(slug).trim(), 'NFC')
    const first = isSlug(wanted) ? wanted : slugFrom(wanted || title, fallback)
    let unique = first
    for (let number = 2; given.has(unique); number++) {
      unique = `${beginningOf(first, LONGEST_SLUG - 8)}-${number}`
    }
    given.add(unique)
    return unique
  }
}

/** WordPress keeps slugs in other scripts percent-encoded. */
function decoded(slug: string): string {
  try {
    return decodeURIComponent(slug)
  } catch {
    return slug
  }
}

/** Larger bodies would not fit into a request either. */
const LARGEST_BODY_BYTES = 2_000_000

/** A post of another system, before it fits. */
export type ForeignPost = {
  key: string
  id?: number | undefined
  title: string
  slug: string
  body: string
  description: string
  content_type: 'post' | 'page'
  image: string | undefined
  author: string | null
  categories: string[]
  seo_title: string
  meta_desc: string
  is_published: boolean
  posted_at: number | null
  created_at: number | null
  updated_at: number | null
  notes: string[]
}

export function postItem(post: ForeignPost, slugOf: ReturnType<typeof openSlugs>): PostItem | Unusable {
  const { content_type, is_published, posted_at } = post
  const title = lineOf(post.title, 255) || lineOf(post.slug, 255) || 'Untitled'
  const body = post.body.toWellFormed()
  const slug = slugOf(post.slug, title, content_type)
  if (Buffer.byteLength(body) > LARGEST_BODY_BYTES) {
    const problem = `Its body has more than ${LARGEST_BODY_BYTES / 1_000_000} MB.`
    return { kind: content_type, label: slug, problem, isWrong: true }
  }
  const notes = [...post.notes]
  const short = (text: string, longest: number, what: string) => {
    const line = lineOf(text, longest)
    if (codePoints(lineOf(text, Number.POSITIVE_INFINITY)) > longest) notes.push(`${what} was cut.`)
    return line
  }
  const image = post.image && isHttpUrl(post.image) ? post.image : undefined
  if (post.image && !image) notes.push('Its image has no full address: name the old site with --source-url.')
  const created_at = post.created_at ?? posted_at ?? post.updated_at ?? 0
  return {
    kind: 'post',
    key: post.key,
    id: post.id,
    label: slug,
    notes,
    author: post.author,
    categories: post.categories,
    value: {
      content_type,
      title,
      slug,
      body,
      short_description: short(post.description, 500, 'Its description'),
      featured_image: image ? { original: image } : {},
      seo_title: short(post.seo_title, 60, 'Its SEO title'),
      meta_desc: short(post.meta_desc, 155, 'Its meta description'),
      is_published,
      posted_at,
      created_at,
      updated_at: post.updated_at ?? created_at,
      version: 1,
    },
  }
}
