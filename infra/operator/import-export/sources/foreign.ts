// What all other systems have in common: their records become records of the own format that fit its rules.
import { emailAddress } from '../../../../shared/http/email.ts'
import { normalize } from '../../../../shared/http/normalize.ts'
import { beginningOf, isHttpUrl } from '../../../../shared/http/text.ts'
import { isoTime } from '../../../../shared/http/time.ts'
import { isSlug, LONGEST_SLUG, slugFrom } from '../../../../shared/slugs/slug.ts'
import { digestOf, ExportRecord, kindOf, LARGEST_ID, NOWHERE, type RecordLine } from '../format.ts'
import { type Entry, problemOf, type Source, type Unusable } from './source.ts'
import { absoluteUrl, withAbsoluteLinks } from './texts.ts'

/** References are keys of the source. Texts and times are as the source has them. */
export type ForeignUser = {
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
  categories: string[]
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
export type ForeignComment = {
  key: string
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

/** Collects the records of a source, and gives them in the order in which they are imported. */
export function openCollector(nowSeconds: number) {
  const others: Unusable[] = []
  const users: ForeignUser[] = []
  const categories: ForeignCategory[] = []
  const posts: ForeignPost[] = []
  const comments: ForeignComment[] = []
  const categoryKeys = new Set<string>()
  /** A record that has no place here. */
  const leaveOut = (kind: string, label: string, problem: string): void => {
    others.push({ kind, label, problem, isWrong: false })
  }

  async function* entries(): AsyncGenerator<Entry | Unusable> {
    yield* others
    const [userIds, categoryIds, slugOf] = [openIds(), openIds(), openSlugs()]
    for (const user of users) yield entryOf(user, userLine(user, userIds.add(user.key), nowSeconds))
    const names = new Map<string, string>()
    for (const category of categories) {
      const { line, notes } = categoryLine(category, categoryIds.add(category.key), slugOf)
      names.set(category.key, line.name)
      yield entryOf(category, { line, notes })
    }
    const slugs = dealSlugs(posts)
    const postIds = openIds(posts.map(({ id }) => id))
    for (const post of posts.toSorted(byId)) {
      const place = { id: postIds.add(post.key, post.id), slug: slugs.get(post) ?? '' }
      const made = postLine(post, { ...place, userIds, categoryIds, names }, nowSeconds)
      const entry = entryOf(post, made, isKept(post.id))
      yield 'problem' in entry ? entry : { ...entry, oldAddresses: post.oldAddresses }
    }
    const commentIds = openIds(comments.map(({ id }) => id))
    for (const comment of comments.toSorted(byId)) {
      const id = commentIds.add(comment.key, comment.id)
      const line = commentLine(comment, { id, userIds, postIds, commentIds }, nowSeconds)
      yield entryOf(comment, { line, notes: [] }, isKept(comment.id))
    }
  }

  return {
    leaveOut,
    /** A record that should have been able to come in. */
    refuse: (kind: string, label: string, problem: string): void => {
      others.push({ kind, label, problem, isWrong: true })
    },
    addUser: (user: ForeignUser): void => {
      if (emailAddress.safeParse(user.email).success) {
        users.push(user)
      } else {
        const problem = 'It has no valid e-mail address. Its posts get the default author.'
        leaveOut('user', user.name || user.key, problem)
      }
    },
    addCategory: (category: ForeignCategory): void => {
      categoryKeys.add(category.key)
      categories.push(category)
    },
    hasCategory: (key: string): boolean => categoryKeys.has(key),
    addPost: (post: ForeignPost): void => {
      posts.push(post)
    },
    addComment: (comment: ForeignComment): void => {
      comments.push(comment)
    },
    source: (name: string, label: string): Source => {
      const count = [others, users, categories, posts, comments].reduce((sum, all) => sum + all.length, 0)
      return { name, label, count, entries }
    },
  }
}
export type Collector = ReturnType<typeof openCollector>

function isKept(id: number | undefined): boolean {
  return id !== undefined && id <= LARGEST_ID
}

/** Those without an id come last. */
function byId(a: { id?: number | undefined }, b: { id?: number | undefined }): number {
  return (a.id ?? NOWHERE) - (b.id ?? NOWHERE)
}

/** Numbers for the records of a source, by their keys. A reference that leads nowhere gets NOWHERE. */
function openIds(wanted: (number | undefined)[] = []) {
  let last = wanted.reduce<number>((most, id) => Math.max(most, id ?? 0), 0)
  const ids = new Map<string, number>()
  const add = (key: string, id: number = ++last): number => {
    if (!ids.has(key)) ids.set(key, id)
    return id
  }
  const of = (key: string | null | undefined): number => ids.get(key ?? '') ?? NOWHERE
  return { add, of, has: (key: string) => ids.has(key) }
}
type Ids = ReturnType<typeof openIds>

type Made<Line extends RecordLine = RecordLine> = { line: Line; notes: string[] }
type LineOf<Type extends RecordLine['type']> = Extract<RecordLine, { type: Type }>

function entryOf(foreign: { key: string }, { line, notes }: Made, keepsId = false): Entry | Unusable {
  const { data: record, error } = ExportRecord.safeParse(line)
  const digest = digestOf({ ...foreign, notes: [] })
  if (record) return { key: foreign.key, record, keepsId, notes, digest }
  const label = 'slug' in line ? line.slug : foreign.key
  return { kind: kindOf(line), label, problem: problemOf(error), isWrong: true }
}

function userLine(user: ForeignUser, id: number, nowSeconds: number): Made {
  const { name, email, avatar = '', bio = '', created_at } = user
  const fit = openFit()
  const picture = isHttpUrl(avatar) ? avatar : null
  if (avatar && !picture) fit.notes.push('Its picture has no full address.')
  const line: RecordLine = {
    type: 'user',
    id,
    name: fit.line(name, 255, 'Its name') || email,
    email,
    email_verified: false,
    avatar: picture,
    bio: fit.text(bio, 500, 'Its biography') || null,
    ban: null,
    created_at: isoTime(created_at ?? nowSeconds),
  }
  return { line, notes: fit.notes }
}

function categoryLine(category: ForeignCategory, id: number, slugOf: SlugOf): Made<LineOf<'category'>> {
  const { slug = '', description = '' } = category
  const fit = openFit()
  const name = fit.line(category.name, 100, 'Its name') || fit.line(slug, 100, 'Its name') || 'Category'
  const line: LineOf<'category'> = {
    type: 'category',
    id,
    name,
    slug: slugOf(slug, name, 'category', fit.notes),
    description: fit.text(description, 1000, 'Its description'),
  }
  return { line, notes: fit.notes }
}

type PostPlace = { id: number; slug: string; userIds: Ids; categoryIds: Ids; names: Map<string, string> }

function postLine(post: ForeignPost, place: PostPlace, nowSeconds: number): Made {
  const { content_type, is_published, posted_at, address, author = null } = post
  const { id, slug, userIds, categoryIds, names } = place
  const fit = openFit(post.notes)
  const isUndated = is_published && posted_at === null && content_type === 'post'
  if (isUndated) fit.notes.push('It has no date, so it is a draft.')
  if (author !== null && !userIds.has(author)) fit.notes.push('Its author was not imported.')
  const known = [...new Set(post.categories)].filter(categoryIds.has)
  const left = known.slice(MAX_CATEGORIES).map(key => names.get(key))
  if (left.length > 0) {
    const without = left.join(', ')
    fit.notes.push(
      `It has the first ${MAX_CATEGORIES} of its ${known.length} categories, without ${without}.`,
    )
  }
  const image = absoluteUrl(post.image, address)
  const isImage = isHttpUrl(image) && image.length <= 500
  if (image !== '' && !isImage) {
    fit.notes.push(`Its image ${image.slice(0, 200)} has no full address: ${NO_ADDRESS}`)
  }
  const body = withAbsoluteLinks(post.body.toWellFormed(), address)
  if (body.hasRelative) fit.notes.push(`It has links or images without a full address: ${NO_ADDRESS}`)
  const created_at = post.created_at ?? posted_at ?? post.updated_at ?? nowSeconds
  const line: RecordLine = {
    type: 'post',
    id,
    content_type,
    title: fit.line(post.title, 255, 'Its title') || fit.line(post.slug, 255, 'Its title') || 'Untitled',
    slug,
    body: body.html,
    short_description: fit.line(post.description, 500, 'Its description'),
    featured_image: isImage ? { original: image } : {},
    author_id: userIds.of(author),
    category_ids: known.slice(0, MAX_CATEGORIES).map(categoryIds.of),
    seo_title: fit.line(post.seo_title ?? '', 60, 'Its SEO title'),
    meta_desc: fit.line(post.meta_desc ?? '', 155, 'Its meta description'),
    is_published: is_published && !isUndated,
    posted_at: posted_at === null ? null : isoTime(posted_at),
    created_at: isoTime(created_at),
    updated_at: isoTime(Math.max(created_at, post.updated_at ?? created_at)),
  }
  return { line, notes: fit.notes }
}

type CommentPlace = { id: number; userIds: Ids; postIds: Ids; commentIds: Ids }

function commentLine(comment: ForeignComment, place: CommentPlace, nowSeconds: number): RecordLine {
  const { post, parent, user, name, email, body, created_at } = comment
  return {
    type: 'comment',
    id: place.id,
    post_id: place.postIds.of(post),
    parent_id: parent === null ? null : place.commentIds.of(parent),
    user_id: user !== null && place.userIds.has(user) ? place.userIds.of(user) : null,
    guest: {
      name: lineOf(name, 100) || 'Anonymous',
      email: emailAddress.safeParse(email).data ?? '',
    },
    body,
    status: 'approved',
    created_at: isoTime(created_at ?? nowSeconds),
  }
}

/** In one line, cut to its longest length. */
function lineOf(text: string, longest: number): string {
  return cutTo(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim(), longest)
}

function cutTo(text: string, longest: number): string {
  const whole = text.toWellFormed()
  const cut = beginningOf(whole, longest)
  return cut === whole ? whole : cut.trim()
}

/** Cuts texts, and notes which of them. */
function openFit(known: string[] = []) {
  const notes = [...known]
  const noted = (cut: string, whole: string, what: string) => {
    if (cut.length < whole.length) notes.push(`${what} was cut.`)
    return cut
  }
  return {
    notes,
    line: (text: string, longest: number, what: string) =>
      noted(lineOf(text, longest), lineOf(text, Number.MAX_SAFE_INTEGER / 4), what),
    text: (text: string, longest: number, what: string) =>
      noted(cutTo(text, longest), text.toWellFormed(), what),
  }
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
      unique = `${beginningOf(first, LONGEST_SLUG - 8).replace(/[^\p{L}\p{N}\p{M}]+$/u, '')}-${number}`
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
    sorted.map(post => [post, slugOf(post.slug, lineOf(post.title, 255), post.content_type, post.notes)]),
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
