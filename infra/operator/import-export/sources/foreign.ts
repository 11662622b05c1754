// What all other systems have in common: their records become records of the own format that fit its rules.
import { emailAddress } from '../../../../shared/http/email.ts'
import { normalize } from '../../../../shared/http/normalize.ts'
import { beginningOf, isHttpUrl } from '../../../../shared/http/text.ts'
import { isoTime } from '../../../../shared/http/time.ts'
import { isSlug, slugFrom } from '../../../../shared/slugs/slug.ts'
import {
  digestOf,
  ExportRecord,
  kindOf,
  labelOf,
  NO_ID,
  NOWHERE,
  type RecordLine,
  type RecordOf,
} from '../format.ts'
import { type Entry, problemOf, Skip, type Source, type UnusableRecord, unusable } from './source.ts'
import { absoluteUrl, withAbsoluteLinks } from './texts.ts'

/** `id`: that it should keep. References are keys of the source, and texts are as the source has them. */
type Foreign = { key: string; id?: number | undefined; created_at?: number | null; notes?: string[] }
type ForeignUser = Foreign & { name: string; email: string; bio?: string; avatar?: string }
export type ForeignCategory = Foreign & { name: string; slug?: string; description?: string }
type Kept = 'title' | 'slug' | 'body' | 'content_type' | 'is_published' | 'posted_at'
export type ForeignPost = Foreign &
  Pick<RecordOf<'post'>, Kept> & {
    description: string
    image: string
    author?: string | null
    categories: ForeignCategory[]
    seo_title?: string
    meta_desc?: string
    updated_at: number | null
    /** The address that it had. */
    address: string | undefined
    oldAddresses: string[]
    notes: string[]
  }
type ForeignComment = Foreign & {
  post: string
  parent: string | null
  user: string | null
  name: string
  email: string
  body: string
}

const MAX_CATEGORIES = 12
const NO_ADDRESS = 'name the old site with --source-url.'
const NO_EMAIL = new Skip('It has no valid e-mail address. Its posts get the default author.')

/** What a source has, with a line for each record that cannot come in. */
export type Records = {
  unusable: UnusableRecord[]
  users: ForeignUser[]
  categories: ForeignCategory[]
  posts: ForeignPost[]
  comments: ForeignComment[]
}

export function noRecords(): Records {
  return { unusable: [], users: [], categories: [], posts: [], comments: [] }
}

export function foreignSource(name: string, label: string, records: Records, nowSeconds: number): Source {
  const count = Object.values(records).reduce((sum, { length }) => sum + length, 0)
  return { name, label, count, entries: () => entriesOf(records, nowSeconds) }
}

/** In the order in which they are imported. */
function* entriesOf(records: Records, nowSeconds: number): Generator<Entry | UnusableRecord> {
  const { users, posts } = records
  yield* records.unusable
  const categories = withNamed(records)
  const comments = inThreads(records.comments)
  const place: Place = {
    nowSeconds,
    ids: numbersOf([...users, ...categories, ...posts, ...comments]),
    slugs: new Map([...dealSlugs(categories), ...dealSlugs(posts)]),
  }
  const byId = (a: Foreign, b: Foreign) => idIn(place, a.key) - idIn(place, b.key)
  for (const user of users) {
    const hasAddress = emailAddress.safeParse(user.email).success
    yield hasAddress ? entryOf(user, userLine, place) : unusable('user', user.name || user.key, NO_EMAIL)
  }
  for (const category of categories) yield entryOf(category, categoryLine, place)
  for (const post of posts.toSorted(byId)) yield entryOf(post, postLine, place)
  for (const comment of comments.toSorted(byId)) yield entryOf(comment, commentLine, place)
}

/**
 * Each behind the one above it. An import goes by ids, so a reply with a smaller id than that one does not
 * keep it. Those of a circle come last, since nothing above them is here.
 */
function inThreads(comments: ForeignComment[]): ForeignComment[] {
  const keys = new Set<string | null>(comments.map(({ key }) => key))
  const byParent = Map.groupBy(comments, ({ parent }) => parent)
  const walked = new Set(comments.filter(({ parent }) => !keys.has(parent)))
  // The set grows while it is walked.
  for (const { key } of walked) for (const reply of byParent.get(key) ?? []) walked.add(reply)
  const ids = new Map<string | null, number>()
  return [...walked.union(new Set(comments))].map(comment => {
    const { key, parent, id = NO_ID } = comment
    const kept = id > (ids.get(parent) ?? 0) ? id : NO_ID
    if (!ids.has(key)) ids.set(key, kept)
    return { ...comment, id: kept === NO_ID ? undefined : kept }
  })
}

/** With those that only posts name. */
function withNamed({ posts, categories }: Records): ForeignCategory[] {
  const known = new Set(categories.map(({ key }) => key))
  const named = posts.flatMap(post => post.categories).filter(({ key }) => !known.has(key))
  const byKey = Map.groupBy(named, ({ key }) => key)
  return [...categories, ...[...byKey.values()].flatMap(([first]) => first ?? [])]
}

/** What the lines refer to: ids by the keys of records, and slugs. */
type Place = { nowSeconds: number; ids: Map<string, number>; slugs: Map<SlugOwner, string> }

/** By the keys of records. Those without an id come last, and get one that is not kept. */
function numbersOf(records: Foreign[]): Map<string, number> {
  const ids = new Map<string, number>()
  for (const [n, { key, id = NO_ID + n }] of records.entries()) {
    if (!ids.has(key)) ids.set(key, id)
  }
  return ids
}

function idIn({ ids }: Place, key: string | null | undefined): number {
  return ids.get(key ?? '') ?? NOWHERE
}

/** Adds to the notes what does not fit. */
type LineOf<Record> = (record: Record, place: Place, notes: string[]) => RecordLine

function entryOf<Record extends Foreign & { oldAddresses?: string[] }>(
  foreign: Record,
  lineFrom: LineOf<Record>,
  place: Place,
): Entry | UnusableRecord {
  const { key, oldAddresses = [] } = foreign
  const notes = [...(foreign.notes ?? [])]
  const line = lineFrom(foreign, place, notes)
  const { data: record, error } = ExportRecord.safeParse(line)
  if (record) return { key, record, notes, digest: digestOf({ ...foreign, notes: [] }), oldAddresses }
  return { outcome: 'wrong', kind: kindOf(line), label: labelOf(line), reason: problemOf(error) }
}

const userLine: LineOf<ForeignUser> = (user, place, notes) => {
  const { key, name, email, avatar = '', bio = '', created_at } = user
  const picture = isHttpUrl(avatar) ? avatar : null
  if (avatar && !picture) notes.push('Its picture has no full address.')
  return {
    type: 'user',
    id: idIn(place, key),
    name: cut(lineOf(name), 255, 'Its name', notes) || email,
    email,
    email_verified: false,
    avatar: picture,
    bio: cut(bio, 500, 'Its biography', notes) || null,
    ban: null,
    created_at: isoTime(created_at ?? place.nowSeconds),
  }
}

const categoryLine: LineOf<ForeignCategory> = (category, place, notes) => {
  const { key, slug = '', description = '' } = category
  return {
    type: 'category',
    id: idIn(place, key),
    slug: slugIn(place, category, notes),
    name: cut(lineOf(category.name) || lineOf(slug), 100, 'Its name', notes) || 'Category',
    description: cut(description, 1000, 'Its description', notes),
  }
}

const postLine: LineOf<ForeignPost> = (post, place, notes) => {
  const { content_type, is_published, posted_at, address, author = null } = post
  const slug = slugIn(place, post, notes)
  const isUndated = is_published && posted_at === null && content_type === 'post'
  if (isUndated) notes.push('It has no date, so it is a draft.')
  if (author !== null && !place.ids.has(author)) notes.push('Its author was not imported.')
  const categories = [...new Map(post.categories.map(category => [category.key, category])).values()]
  const left = categories.slice(MAX_CATEGORIES).map(({ name }) => name)
  if (left.length > 0) {
    const [most, all] = [MAX_CATEGORIES, categories.length]
    notes.push(`It has the first ${most} of its ${all} categories, without ${left.join(', ')}.`)
  }
  const image = absoluteUrl(post.image, address)
  const isImage = isHttpUrl(image) && image.length <= 500
  if (image !== '' && !isImage) {
    notes.push(`Its image ${image.slice(0, 200)} has no full address: ${NO_ADDRESS}`)
  }
  const body = withAbsoluteLinks(post.body.toWellFormed(), address)
  if (body.hasRelative) notes.push(`It has links or images without a full address: ${NO_ADDRESS}`)
  const created_at = post.created_at ?? posted_at ?? post.updated_at ?? place.nowSeconds
  return {
    type: 'post',
    id: idIn(place, post.key),
    content_type,
    title: cut(lineOf(post.title) || lineOf(post.slug), 255, 'Its title', notes) || 'Untitled',
    slug,
    body: body.html,
    short_description: cut(lineOf(post.description), 500, 'Its description', notes),
    featured_image: isImage ? { original: image } : {},
    author_id: idIn(place, author),
    category_ids: categories.slice(0, MAX_CATEGORIES).map(({ key }) => idIn(place, key)),
    seo_title: cut(lineOf(post.seo_title ?? ''), 60, 'Its SEO title', notes),
    meta_desc: cut(lineOf(post.meta_desc ?? ''), 155, 'Its meta description', notes),
    is_published: is_published && !isUndated,
    posted_at: posted_at === null ? null : isoTime(posted_at),
    created_at: isoTime(created_at),
    updated_at: isoTime(Math.max(created_at, post.updated_at ?? created_at)),
  }
}

const commentLine: LineOf<ForeignComment> = (comment, place, notes) => {
  const { key, post, parent, user, name, email, body, created_at } = comment
  const id = idIn(place, key)
  if (created_at === null) notes.push('It has no date, so it has that of the import.')
  if (id >= NO_ID) notes.push(`In the source it is ${key}.`)
  return {
    type: 'comment',
    id,
    post_id: idIn(place, post),
    parent_id: parent === null ? null : idIn(place, parent),
    user_id: place.ids.get(user ?? '') ?? null,
    guest: {
      name: cut(lineOf(name), 100, '', []) || 'Anonymous',
      email: emailAddress.safeParse(email).data ?? '',
    },
    body,
    status: 'approved',
    created_at: isoTime(created_at ?? place.nowSeconds),
  }
}

function lineOf(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}

function cut(text: string, longest: number, what: string, notes: string[]): string {
  const whole = text.toWellFormed()
  const beginning = beginningOf(whole, longest)
  if (beginning === whole) return whole
  notes.push(`${what} was cut.`)
  return beginning.trim()
}

type SlugOwner = ForeignCategory | ForeignPost

/**
 * Given slugs first, and those of published posts before others, so that no address changes without need. A
 * second one of the same slug gets a number.
 */
function dealSlugs(all: SlugOwner[]): Map<SlugOwner, string> {
  const slugs = new Map<SlugOwner, string>()
  const given = new Set<string>()
  const numbers = new Map<string, number>()
  const rank = (one: SlugOwner) => (one.slug ? 0 : 2) + ('title' in one && !one.is_published ? 1 : 0)
  for (const one of all.toSorted((a, b) => rank(a) - rank(b))) {
    const [title, fallback] = 'title' in one ? [one.title, one.content_type] : [one.name, 'category']
    const wanted = wantedSlug(one)
    const first = isSlug(wanted) ? wanted : slugFrom(wanted || lineOf(title), fallback)
    let slug = first
    for (let number = numbers.get(first) ?? 2; given.has(slug); number++) {
      slug = slugFrom(first, fallback, number)
      numbers.set(first, number + 1)
    }
    given.add(slug)
    slugs.set(one, slug)
  }
  return slugs
}

function slugIn({ slugs }: Place, one: SlugOwner, notes: string[]): string {
  const [slug, wanted] = [slugs.get(one) ?? '', wantedSlug(one)]
  if (one.slug && slug !== wanted) notes.push(`Its slug was ${wanted.slice(0, 200)}.`)
  return slug
}

/** WordPress keeps slugs in other scripts percent-encoded. */
function wantedSlug({ slug = '' }: SlugOwner): string {
  let decoded = slug
  try {
    decoded = decodeURIComponent(slug)
  } catch {
    // It has a percent sign of its own.
  }
  return normalize(decoded.trim(), 'NFC')
}
