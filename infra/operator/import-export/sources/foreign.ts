// What all other systems have in common: their records become records of the own format that fit its rules.
import { emailAddress } from '../../../../shared/http/email.ts'
import { normalize } from '../../../../shared/http/normalize.ts'
import { beginningOf, isHttpUrl } from '../../../../shared/http/text.ts'
import { isoTime } from '../../../../shared/http/time.ts'
import { isSlug, slugFrom } from '../../../../shared/slugs/slug.ts'
import { digestOf, ExportRecord, kindOf, labelOf, NO_ID, NOWHERE, type RecordLine } from '../format.ts'
import { type Entry, problemOf, type Source, type Unusable } from './source.ts'
import { absoluteUrl, withAbsoluteLinks } from './texts.ts'

/** References are keys of the source. Texts and times are as the source has them. */
type ForeignUser = {
  key: string
  name: string
  email: string
  bio?: string
  avatar?: string
  created_at?: number | null
}
export type ForeignCategory = { key: string; name: string; slug?: string; description?: string }
export type ForeignPost = {
  key: string
  /** The id that it should keep. */
  id?: number | undefined
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
  created_at: number | null
  updated_at: number | null
  /** The address that it had. */
  address: string | undefined
  oldAddresses: string[]
  notes: string[]
}
type ForeignComment = {
  key: string
  /** The id that it should keep. */
  id: number | undefined
  post: string
  parent: string | null
  user: string | null
  name: string
  email: string
  body: string
  created_at: number | null
}

const MAX_CATEGORIES = 12
const NO_ADDRESS = 'name the old site with --source-url.'

type Records = {
  unusable: Unusable[]
  users: ForeignUser[]
  categories: ForeignCategory[]
  posts: ForeignPost[]
  comments: ForeignComment[]
}

/** Collects the records of a source. */
export function openCollector(nowSeconds: number) {
  const records: Records = { unusable: [], users: [], categories: [], posts: [], comments: [] }
  const { unusable, users, ...others } = records
  /** A record that has no place here. */
  const leaveOut = (kind: string, label: string, problem: string): void => {
    unusable.push({ kind, label, problem, isWrong: false })
  }
  return {
    ...others,
    leaveOut,
    /** A record that should have been able to come in. */
    refuse: (kind: string, label: string, problem: string): void => {
      unusable.push({ kind, label, problem, isWrong: true })
    },
    addUser: (user: ForeignUser): void => {
      if (emailAddress.safeParse(user.email).success) {
        users.push(user)
      } else {
        const problem = 'It has no valid e-mail address. Its posts get the default author.'
        leaveOut('user', user.name || user.key, problem)
      }
    },
    source: (name: string, label: string): Source => {
      const all = { ...records, categories: withNamed(records) }
      const count = Object.values(all).reduce((sum, { length }) => sum + length, 0)
      return { name, label, count, entries: () => entriesOf(all, nowSeconds) }
    },
  }
}
export type Collector = ReturnType<typeof openCollector>

/** With those that only posts name. */
function withNamed({ posts, categories }: Records): ForeignCategory[] {
  const known = new Set(categories.map(({ key }) => key))
  const named = posts.flatMap(post => post.categories).filter(({ key }) => !known.has(key))
  const byKey = Map.groupBy(named, ({ key }) => key)
  return [...categories, ...[...byKey.values()].flatMap(([first]) => first ?? [])]
}

type Place = { nowSeconds: number; ids: Map<string, number> }

/** In the order in which they are imported. */
function* entriesOf(
  { unusable, users, categories, posts, comments }: Records,
  nowSeconds: number,
): Generator<Entry | Unusable> {
  yield* unusable
  const place = { nowSeconds, ids: numbersOf([...users, ...categories, ...posts, ...comments]) }
  const byId = (a: { key: string }, b: { key: string }) => idIn(place, a.key) - idIn(place, b.key)
  for (const user of users) yield entryOf(user, userLine(user, place))
  const slugOf = openSlugs()
  for (const category of categories) yield entryOf(category, categoryLine(category, place, slugOf))
  const slugs = dealSlugs(posts)
  for (const post of posts.toSorted(byId)) {
    const entry = entryOf(post, postLine(post, slugs.get(post) ?? '', place))
    yield 'problem' in entry ? entry : { ...entry, oldAddresses: post.oldAddresses }
  }
  for (const comment of comments.toSorted(byId)) yield entryOf(comment, commentLine(comment, place))
}

/** By the keys of records. Those without an id come last, and get one that is not kept. */
function numbersOf(records: { key: string; id?: number | undefined }[]): Map<string, number> {
  const ids = new Map<string, number>()
  for (const [n, { key, id = NO_ID + n }] of records.entries()) {
    if (!ids.has(key)) ids.set(key, id)
  }
  return ids
}

function idIn({ ids }: Place, key: string | null | undefined): number {
  return ids.get(key ?? '') ?? NOWHERE
}

type Made = { line: RecordLine; notes: string[] }

function entryOf(foreign: { key: string }, { line, notes }: Made): Entry | Unusable {
  const { data: record, error } = ExportRecord.safeParse(line)
  if (record) return { key: foreign.key, record, notes, digest: digestOf({ ...foreign, notes: [] }) }
  return { kind: kindOf(line), label: labelOf(line), problem: problemOf(error), isWrong: true }
}

function userLine(user: ForeignUser, place: Place): Made {
  const { key, name, email, avatar = '', bio = '', created_at } = user
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

function categoryLine(category: ForeignCategory, place: Place, slugOf: SlugOf): Made {
  const { key, slug = '', description = '' } = category
  const notes: string[] = []
  const name = cut(lineOf(category.name) || lineOf(slug), 100, 'Its name', notes) || 'Category'
  const line: RecordLine = {
    type: 'category',
    id: idIn(place, key),
    name,
    slug: slugOf(slug, name, 'category', notes),
    description: cut(description, 1000, 'Its description', notes),
  }
  return { line, notes }
}

function postLine(post: ForeignPost, slug: string, place: Place): Made {
  const { content_type, is_published, posted_at, address, author = null } = post
  const notes = [...post.notes]
  const isUndated = is_published && posted_at === null && content_type === 'post'
  if (isUndated) notes.push('It has no date, so it is a draft.')
  if (author !== null && !place.ids.has(author)) notes.push('Its author was not imported.')
  const categories = [...new Map(post.categories.map(category => [category.key, category])).values()]
  if (categories.length > MAX_CATEGORIES) {
    const left = categories.slice(MAX_CATEGORIES).map(({ name }) => name)
    notes.push(
      `It has the first ${MAX_CATEGORIES} of its ${categories.length} categories, without ${left.join(', ')}.`,
    )
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

function commentLine(comment: ForeignComment, place: Place): Made {
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
  return { line, notes: [] }
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

type SlugOf = (slug: string, title: string, fallback: string, notes: string[]) => string

/** Slugs of one source, each once. A second one of the same slug gets a number, and each change a note. */
function openSlugs(): SlugOf {
  const given = new Set<string>()
  const numbers = new Map<string, number>()
  return (slug, title, fallback, notes) => {
    const wanted = normalize(decoded(slug).trim(), 'NFC')
    const first = isSlug(wanted) ? wanted : slugFrom(wanted || title, fallback)
    let unique = first
    for (let number = numbers.get(first) ?? 2; given.has(unique); number++) {
      unique = slugFrom(first, fallback, number)
      numbers.set(first, number + 1)
    }
    given.add(unique)
    if (slug !== '' && unique !== wanted) notes.push(`Its slug was ${wanted.slice(0, 200)}.`)
    return unique
  }
}

/** Given slugs first, and those of published posts before others, so that no address changes without need. */
function dealSlugs(posts: ForeignPost[]): Map<ForeignPost, string> {
  const slugOf = openSlugs()
  const rank = ({ slug, is_published }: ForeignPost) => (slug === '' ? 2 : 0) + (is_published ? 0 : 1)
  const sorted = posts.toSorted((a, b) => rank(a) - rank(b))
  return new Map(
    sorted.map(post => [post, slugOf(post.slug, lineOf(post.title), post.content_type, post.notes)]),
  )
}

/** WordPress keeps slugs in other scripts percent-encoded. */
function decoded(slug: string): string {
  try {
    return decodeURIComponent(slug)
  } catch {
    return slug
  }
}
