// What all other systems have in common: their records become records of the own format that fit its rules.
import { emailAddress } from '../../../../shared/http/email.ts'
import { normalize } from '../../../../shared/http/normalize.ts'
import { beginningOf, isHttpUrl } from '../../../../shared/http/text.ts'
import { isoTime } from '../../../../shared/http/time.ts'
import { isSlug, slugFrom } from '../../../../shared/slugs/slug.ts'
import { digestOf, ExportRecord, kindOf, labelOf, NO_ID, NOWHERE, type RecordLine } from '../format.ts'
import { type Entry, leftOut, problemOf, type Source, type UnusableRecord, wrong } from './source.ts'
import { absoluteUrl, withAbsoluteLinks } from './texts.ts'

/** `id`: that it should keep. References are keys of the source, and texts are as the source has them. */
type Foreign = { key: string; id?: number | undefined; created_at?: number | null }
type ForeignUser = Foreign & { name: string; email: string; bio?: string; avatar?: string }
export type ForeignCategory = Foreign & {
  name: string
  slug?: string
  description?: string
  notes?: string[]
}
export type ForeignPost = Foreign & {
  title: string
  slug: string
  body: string
  description: string
  content_type: 'post' | 'page'
  image: string
  author?: string | null
  categories: ForeignCategory[]
  seo_title?: string
  meta_desc?: string
  is_published: boolean
  posted_at: number | null
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
  const { unusable, posts } = records
  const comments = inThreads(records.comments)
  yield* unusable
  const hasAddress = ({ email }: ForeignUser) => emailAddress.safeParse(email).success
  for (const { key, name } of records.users.filter(user => !hasAddress(user))) {
    yield leftOut('user', name || key, 'It has no valid e-mail address. Its posts get the default author.')
  }
  const users = records.users.filter(hasAddress)
  const categories = withNamed(records)
  const place = { nowSeconds, ids: numbersOf([...users, ...categories, ...posts, ...comments]) }
  for (const user of users) yield entryOf(user, userLine(user, place))
  const ofCategories = dealSlugs(categories)
  for (const category of categories) {
    yield entryOf(category, categoryLine(category, ofCategories.get(category) ?? '', place))
  }
  const byId = (a: Foreign, b: Foreign) => idIn(place, a.key) - idIn(place, b.key)
  const ofPosts = dealSlugs(posts)
  for (const post of posts.toSorted(byId)) {
    yield entryOf(post, postLine(post, ofPosts.get(post) ?? '', place))
  }
  for (const comment of comments.toSorted(byId)) yield entryOf(comment, commentLine(comment, place))
}

/**
 * Each behind the one above it. An import goes by ids, so a reply with a smaller id than that one does not
 * keep it. Those of a circle have nothing above them that is here.
 */
function inThreads(comments: ForeignComment[]): ForeignComment[] {
  const byKey = new Map(comments.toReversed().map(comment => [comment.key, comment]))
  const byParent = Map.groupBy(byKey.values(), ({ parent }) => parent)
  const ids = new Map<string | null, number>()
  const walked = [...byKey.values()].filter(({ parent }) => parent === null || !byKey.has(parent))
  // The list grows while it is walked.
  for (const { key, parent, id = NO_ID } of walked) {
    ids.set(key, id > (ids.get(parent) ?? 0) ? id : NO_ID)
    for (const reply of byParent.get(key) ?? []) walked.push(reply)
  }
  const ofThreads = new Set(walked)
  const others = comments.filter(comment => !ofThreads.has(comment))
  const kept = walked.map(one => ({ ...one, id: ids.get(one.key) === NO_ID ? undefined : one.id }))
  return [...kept, ...others]
}

/** With those that only posts name. */
function withNamed({ posts, categories }: Records): ForeignCategory[] {
  const known = new Set(categories.map(({ key }) => key))
  const named = posts.flatMap(post => post.categories).filter(({ key }) => !known.has(key))
  const byKey = Map.groupBy(named, ({ key }) => key)
  return [...categories, ...[...byKey.values()].flatMap(([first]) => first ?? [])]
}

type Place = { nowSeconds: number; ids: Map<string, number> }

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

type ForeignLine = { line: RecordLine; notes: string[] }

function entryOf(
  foreign: Foreign & { oldAddresses?: string[] },
  { line, notes }: ForeignLine,
): Entry | UnusableRecord {
  const { key, oldAddresses = [] } = foreign
  const { data: record, error } = ExportRecord.safeParse(line)
  if (record) return { key, record, notes, digest: digestOf({ ...foreign, notes: [] }), oldAddresses }
  return wrong(kindOf(line), labelOf(line), problemOf(error))
}

function userLine(
  { key, name, email, avatar = '', bio = '', created_at }: ForeignUser,
  place: Place,
): ForeignLine {
  const notes: string[] = []
  const picture = isHttpUrl(avatar) ? avatar : null
  if (avatar && !picture) notes.push('Its picture has no full address.')
  const line: RecordLine = {
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
  return { line, notes }
}

function categoryLine(category: ForeignCategory, slug: string, place: Place): ForeignLine {
  const { key, description = '' } = category
  const notes = [...(category.notes ?? []), ...slugNotes(category, slug)]
  const name = lineOf(category.name) || lineOf(category.slug ?? '')
  const line: RecordLine = {
    type: 'category',
    id: idIn(place, key),
    name: cut(name, 100, 'Its name', notes) || 'Category',
    slug,
    description: cut(description, 1000, 'Its description', notes),
  }
  return { line, notes }
}

function postLine(post: ForeignPost, slug: string, place: Place): ForeignLine {
  const { content_type, is_published, posted_at, address, author = null } = post
  const notes = [...post.notes, ...slugNotes(post, slug)]
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
  const line: RecordLine = {
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
  return { line, notes }
}

function commentLine(comment: ForeignComment, place: Place): ForeignLine {
  const { key, post, parent, user, name, email, body, created_at } = comment
  const line: RecordLine = {
    type: 'comment',
    id: idIn(place, key),
    post_id: idIn(place, post),
    parent_id: parent === null ? null : idIn(place, parent),
    user_id: user !== null && place.ids.has(user) ? idIn(place, user) : null,
    guest: {
      name: cut(lineOf(name), 100, '', []) || 'Anonymous',
      email: emailAddress.safeParse(email).data ?? '',
    },
    body,
    status: 'approved',
    created_at: isoTime(created_at ?? place.nowSeconds),
  }
  const notes = created_at === null ? ['It has no date, so it has that of the import.'] : []
  if (line.id >= NO_ID) notes.push(`In the source it is ${key}.`)
  return { line, notes }
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

/** A category, or a post. */
type SlugOwner = {
  slug?: string
  name?: string
  title?: string
  content_type?: string
  is_published?: boolean
}

/**
 * Given slugs first, and those of published posts before others, so that no address changes without need. A
 * second one of the same slug gets a number.
 */
function dealSlugs(all: SlugOwner[]): Map<SlugOwner, string> {
  const slugs = new Map<SlugOwner, string>()
  const given = new Set<string>()
  const numbers = new Map<string, number>()
  const rank = ({ slug, is_published = true }: SlugOwner) => (slug ? 0 : 2) + (is_published ? 0 : 1)
  for (const one of all.toSorted((a, b) => rank(a) - rank(b))) {
    const { title = one.name ?? '', content_type: fallback = 'category' } = one
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

function slugNotes(one: SlugOwner, slug: string): string[] {
  const wanted = wantedSlug(one)
  return one.slug && slug !== wanted ? [`Its slug was ${wanted.slice(0, 200)}.`] : []
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
