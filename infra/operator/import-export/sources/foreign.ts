// What all other systems have in common: their records become records of the own format that fit its rules.
import { createHash } from 'node:crypto'
import { emailAddress } from '../../../../shared/http/email.ts'
import { normalize } from '../../../../shared/http/normalize.ts'
import { beginningOf, isHttpUrl } from '../../../../shared/http/text.ts'
import { isoTime } from '../../../../shared/http/time.ts'
import { isSlug, LONGEST_SLUG, slugFrom } from '../../../../shared/slugs/slug.ts'
import { ExportRecord, LARGEST_ID, type RecordLine } from '../format.ts'
import { absoluteUrl, withAbsoluteLinks } from './html.ts'
import { type Entry, NOWHERE, problemOf, type Unusable } from './source.ts'

/** References are keys of the source. Texts and times are as the source has them. */
export type ForeignUser = {
  key: string
  name: string
  email: string
  bio: string
  avatar: string
  created_at: number | null
}
export type ForeignCategory = { key: string; name: string; slug: string; description: string }
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
  author: string | null
  categories: string[]
  seo_title: string
  meta_desc: string
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

type Made = Entry | Unusable
const MAX_CATEGORIES = 12

/** Collects the records of a source, and gives them in the order in which they are imported. */
export function openCollector(nowSeconds: number) {
  const made: { users: Made[]; categories: Made[]; comments: ForeignComment[]; others: Unusable[] } = {
    users: [],
    categories: [],
    comments: [],
    others: [],
  }
  const users = openIds()
  const categories = openIds()
  const categoryNames = new Map<string, string>()
  const slugOfCategory = openSlugs()
  const posts: ForeignPost[] = []

  const leaveOut = (unusable: Unusable) => made.others.push(unusable)

  const addUser = (user: ForeignUser): void => {
    const { key, name, avatar, bio, created_at } = user
    const { data: email } = emailAddress.safeParse(user.email)
    if (!email) {
      const problem = 'It has no valid e-mail address. Its posts get the default author.'
      leaveOut({ kind: 'user', label: name || key, problem, isWrong: false })
      return
    }
    const fit = openFit()
    const picture = isHttpUrl(avatar) ? avatar : null
    if (avatar && !picture) fit.notes.push('Its picture has no full address.')
    const line: RecordLine = {
      type: 'user',
      id: users.add(key),
      name: fit.line(name, 255, 'Its name') || email,
      email,
      email_verified: false,
      avatar: picture,
      bio: fit.text(bio, 500, 'Its biography') || null,
      ban: null,
      created_at: isoTime(created_at ?? nowSeconds),
    }
    made.users.push(entryOf(key, line, fit.notes, user, false))
  }

  const addCategory = (category: ForeignCategory): void => {
    const { key, name, slug, description } = category
    const fit = openFit()
    const fitting = fit.line(name, 100, 'Its name') || fit.line(slug, 100, 'Its name') || 'Category'
    const line: RecordLine = {
      type: 'category',
      id: categories.add(key),
      name: fitting,
      slug: slugOfCategory(slug, fitting, 'category', fit.notes),
      description: fit.text(description, 1000, 'Its description'),
      version: 1,
    }
    categoryNames.set(key, fitting)
    made.categories.push(entryOf(key, line, fit.notes, category, false))
  }

  const postEntry = (post: ForeignPost, slug: string, id: number): Made => {
    const { content_type, is_published, posted_at, address } = post
    const fit = openFit()
    for (const note of post.notes) fit.notes.push(note)
    const isUndated = is_published && posted_at === null && content_type === 'post'
    if (isUndated) fit.notes.push('It has no date, so it is a draft.')
    if (post.author !== null && !users.has(post.author)) fit.notes.push('Its author was not imported.')
    const known = [...new Set(post.categories)].filter(key => categories.has(key))
    const left = known.slice(MAX_CATEGORIES).map(key => categoryNames.get(key))
    if (left.length > 0) {
      fit.notes.push(
        `It has the first ${MAX_CATEGORIES} of its ${known.length} categories, without ${left.join(', ')}.`,
      )
    }
    const image = absoluteUrl(post.image, address)
    const isImage = isHttpUrl(image) && image.length <= 500
    if (image !== '' && !isImage) {
      fit.notes.push(
        `Its image ${image.slice(0, 200)} has no full address: name the old site with --source-url.`,
      )
    }
    const created_at = post.created_at ?? posted_at ?? post.updated_at ?? nowSeconds
    const line: RecordLine = {
      type: 'post',
      id,
      content_type,
      title: fit.line(post.title, 255, 'Its title') || fit.line(post.slug, 255, 'Its title') || 'Untitled',
      slug,
      body: withAbsoluteLinks(post.body.toWellFormed(), address),
      short_description: fit.line(post.description, 500, 'Its description'),
      featured_image: isImage ? { original: image } : {},
      author_id: users.of(post.author),
      category_ids: known.slice(0, MAX_CATEGORIES).map(categories.of),
      seo_title: fit.line(post.seo_title, 60, 'Its SEO title'),
      meta_desc: fit.line(post.meta_desc, 155, 'Its meta description'),
      is_published: is_published && !isUndated,
      posted_at: posted_at === null ? null : isoTime(posted_at),
      created_at: isoTime(created_at),
      updated_at: isoTime(Math.max(created_at, post.updated_at ?? created_at)),
      version: 1,
    }
    const entry = entryOf(post.key, line, fit.notes, post, isKept(post.id))
    return 'problem' in entry ? entry : { ...entry, oldAddresses: post.oldAddresses }
  }

  async function* entries(): AsyncGenerator<Made> {
    yield* made.others
    yield* made.users
    yield* made.categories
    const slugs = dealSlugs(posts)
    const ids = openIds(posts.map(({ id }) => id))
    const sorted = posts.toSorted(byId)
    for (const post of sorted) yield postEntry(post, slugs.get(post) ?? '', ids.add(post.key, post.id))
    const commentIds = openIds(made.comments.map(({ id }) => id))
    const comments = made.comments.toSorted(byId)
    for (const comment of comments) {
      const { key, post, parent, user, name, email, body, created_at } = comment
      const line: RecordLine = {
        type: 'comment',
        id: commentIds.add(key, comment.id),
        post_id: ids.of(post),
        parent_id: parent === null ? null : commentIds.of(parent),
        user_id: user !== null && users.has(user) ? users.of(user) : null,
        guest: {
          name: lineOf(name, 100) || 'Anonymous',
          email: emailAddress.safeParse(email).data ?? '',
        },
        body,
        status: 'approved',
        created_at: isoTime(created_at ?? nowSeconds),
      }
      yield entryOf(key, line, [], comment, isKept(comment.id))
    }
  }

  return {
    leaveOut,
    addUser,
    addCategory,
    hasCategory: categories.has,
    addPost: (post: ForeignPost) => posts.push(post),
    addComment: (comment: ForeignComment) => made.comments.push(comment),
    count: () =>
      made.users.length + made.categories.length + posts.length + made.comments.length + made.others.length,
    entries,
  }
}
export type Collector = ReturnType<typeof openCollector>

function isKept(id: number | undefined): boolean {
  return id !== undefined && id <= LARGEST_ID
}

/** Numbers for the records of a source, by their keys. A reference that leads nowhere gets NOWHERE. */
function openIds(wanted: (number | undefined)[] = []) {
  let last = wanted.reduce<number>((most, id) => Math.max(most, id ?? 0), 0)
  const ids = new Map<string, number>()
  const add = (key: string, id: number = ++last): number => {
    if (!ids.has(key)) ids.set(key, id)
    return id
  }
  const of = (key: string | null): number => (key === null ? undefined : ids.get(key)) ?? NOWHERE
  return { add, of, has: (key: string) => ids.has(key) }
}

function entryOf(key: string, line: RecordLine, notes: string[], foreign: object, keepsId: boolean): Made {
  const { data: record, error } = ExportRecord.safeParse(line)
  const digest = digestOf({ ...foreign, notes: [] })
  if (record) return { key, record, keepsId, notes, digest }
  const kind = line.type === 'post' ? line.content_type : line.type
  const label = 'slug' in line ? line.slug : key
  return { kind, label, problem: problemOf(error), isWrong: true }
}

export function digestOf(said: unknown): string {
  return createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, 32)
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
function openFit() {
  const notes: string[] = []
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

/** Slugs of one source, each once. A second one of the same slug gets a number, and each change a note. */
function openSlugs() {
  const given = new Set<string>()
  const numbers = new Map<string, number>()
  return (slug: string, title: string, fallback: string, notes: string[]): string => {
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

/** Those without an id come last. */
function byId(a: { id?: number | undefined }, b: { id?: number | undefined }): number {
  return (a.id ?? NOWHERE) - (b.id ?? NOWHERE)
}
