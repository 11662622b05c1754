// Ghost's export: one JSON file with tables of posts, tags and users. Each row is read by itself.
import * as z from 'zod/mini'
import { OperatorError } from '../../command.ts'
import { readText } from './files.ts'
import { type ForeignPost, openCollector } from './foreign.ts'
import { messageOf, problemOf, type Source, type SourceOptions } from './source.ts'
import { absoluteUrl, htmlOf } from './texts.ts'
import { secondsOf } from './time.ts'

const Id = z.union([z.string(), z.number()])
const text = z.nullish(z.string())
const time = z.nullish(z.union([z.string(), z.number()]))

const GhostPost = z.object({
  id: Id,
  uuid: text,
  title: text,
  slug: text,
  html: text,
  lexical: text,
  mobiledoc: text,
  markdown: text,
  feature_image: text,
  /** Before version 1, as of users. */
  image: text,
  /** Before version 3. */
  page: z.nullish(z.union([z.boolean(), z.number()])),
  type: text,
  status: text,
  visibility: text,
  created_at: time,
  updated_at: time,
  published_at: time,
  custom_excerpt: text,
  meta_title: text,
  meta_description: text,
  canonical_url: text,
  /** Before version 2. */
  author_id: z.nullish(Id),
})
type GhostPost = z.infer<typeof GhostPost>

const GhostMeta = z.object({ post_id: Id, meta_title: text, meta_description: text })
const GhostUser = z.object({
  id: Id,
  name: text,
  email: text,
  bio: text,
  profile_image: text,
  image: text,
  created_at: time,
})
const GhostTag = z.object({ id: Id, name: z.string(), slug: text, description: text, visibility: text })
const GhostLink = z.looseObject({ post_id: Id, sort_order: z.nullish(z.number()) })

const rows = z.nullish(z.array(z.unknown()))
const Data = z.object({
  posts: z.array(z.unknown()),
  posts_meta: rows,
  users: rows,
  tags: rows,
  posts_tags: rows,
  posts_authors: rows,
})
const Database = z.object({ data: Data })
const Export = z.union([z.object({ db: z.tuple([Database], z.unknown()) }), Database])

const BROKEN = '\ufffd'

/** Throws OperatorError if the file is no export of Ghost. */
export async function openGhost(file: string, { sourceUrl, nowSeconds }: SourceOptions): Promise<Source> {
  const { text, brokenAt } = await readText(file)
  const { data: parsed, error } = Export.safeParse(jsonOf(text, file))
  if (!parsed) throw new OperatorError(`${file} is no export of Ghost: ${problemOf(error)}`)
  const { data } = 'db' in parsed ? parsed.db[0] : parsed
  const collector = openCollector(nowSeconds)
  /** The rows of a table that have its form. */
  const read = <T>(table: keyof typeof data, kind: string, schema: z.ZodMiniType<T>): T[] =>
    (data[table] ?? []).flatMap((row, n) => {
      const { data: read, error } = schema.safeParse(row)
      const isBroken = brokenAt !== undefined && JSON.stringify(row).includes(BROKEN)
      if (read && !isBroken) return [read]
      const label = `${table}.${n}`
      const problem = error ? `${label}.${problemOf(error)}` : 'It has bytes that are not UTF-8.'
      collector.refuse(kind, label, problem)
      return []
    })
  const base = sourceUrl?.replace(/\/+$/, '')
  const users = read('users', 'user', GhostUser)
  for (const { id, name, email, bio, profile_image, image, created_at } of users) {
    collector.addUser({
      key: `user:${id || `#${email}`}`,
      name: name ?? '',
      email: email ?? '',
      bio: bio ?? '',
      avatar: imageOf(profile_image ?? image, base),
      created_at: secondsOf(created_at),
    })
  }
  for (const { id, name, slug, description, visibility } of read('tags', 'category', GhostTag)) {
    // Tags whose names begin with # are for themes, not for readers.
    if (visibility === 'internal' || name.startsWith('#')) continue
    const key = `category:${id || `#${slug}`}`
    collector.categories.push({ key, name, slug: slug ?? '', description: description ?? '' })
  }
  const names = new Map(users.map(({ id, name }) => [`user:${id}`, name ?? '']))
  const authors = linksOf(read('posts_authors', 'link', GhostLink), 'author_id', 'user')
  const tags = linksOf(read('posts_tags', 'link', GhostLink), 'tag_id', 'category')
  const metas = new Map(read('posts_meta', 'meta', GhostMeta).map(meta => [String(meta.post_id), meta]))
  for (const post of read('posts', 'post', GhostPost)) {
    const id = String(post.id)
    const [author = post.author_id ? `user:${post.author_id}` : null, ...others] = authors.get(id) ?? []
    const foreign = foreignPost({ ...post, ...metas.get(id), id: post.id }, base)
    const otherNames = others.map(key => names.get(key) || key)
    if (otherNames.length > 0) foreign.notes.push(`It also has the authors ${otherNames.join(', ')}.`)
    collector.posts.push({ ...foreign, author, categories: tags.get(id) ?? [] })
  }
  return collector.source('ghost', 'an export of Ghost')
}

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const cause = messageOf(error).slice(0, 200)
    throw new OperatorError(`${file} is no whole JSON: ${cause} Export again: nothing was imported.`)
  }
}

/** The keys of what a post is linked with, in Ghost's order. */
function linksOf(links: z.infer<typeof GhostLink>[], member: string, kind: string): Map<string, string[]> {
  const sorted = links.toSorted((a, b) => (a.sort_order ?? 0) - (b.sort_order ?? 0))
  const byPost = Map.groupBy(sorted, ({ post_id }) => String(post_id))
  return new Map([...byPost].map(([id, all]) => [id, all.map(link => `${kind}:${String(link[member])}`)]))
}

function foreignPost(post: GhostPost, base: string | undefined): ForeignPost {
  const notes: string[] = []
  const isForAll = (post.visibility ?? 'public') === 'public'
  const isPublished = post.status === 'published' || post.status === 'scheduled'
  if (isPublished && !isForAll) notes.push('It was for members only, so it is a draft.')
  if (post.status === 'sent') notes.push('It was only sent as a mail, so it is a draft.')
  if (post.canonical_url) notes.push(`Its canonical address ${post.canonical_url} has no place here.`)
  const slug = post.slug ?? ''
  const body = bodyOf(post, notes)
  if (body === undefined && isPublished && isForAll) notes.push('It is a draft.')
  return {
    // Ghost before version 1 numbered its posts, so that only the uuid differs between sites.
    key: `post:${post.uuid || post.id || `#${slug}`}`,
    title: post.title ?? '',
    slug,
    body: (body ?? '').replaceAll('__GHOST_URL__', base ?? ''),
    description: post.custom_excerpt ?? '',
    content_type: post.type === 'page' || post.page === true || post.page === 1 ? 'page' : 'post',
    image: imageOf(post.feature_image ?? post.image, base),
    categories: [],
    seo_title: post.meta_title ?? '',
    meta_desc: post.meta_description ?? '',
    is_published: isPublished && isForAll && body !== undefined,
    posted_at: secondsOf(post.published_at),
    created_at: secondsOf(post.created_at),
    updated_at: secondsOf(post.updated_at),
    address: base === undefined ? undefined : `${base}/${encodeURIComponent(slug)}/`,
    oldAddresses: isPublished && isForAll && slug !== '' ? [`/${encodeURIComponent(slug)}/`] : [],
    notes,
  }
}

const Cards = z.object({
  cards: z.array(z.tuple([z.string(), z.unknown()], z.unknown())),
  sections: z.array(z.unknown()),
})
const MarkdownCard = z.object({ markdown: z.string() })
/** In a section of mobiledoc: the section is a card, of this number. */
const CARD = z.tuple([z.literal(10), z.int()], z.unknown())

/** Undefined if no library that is kept renders what the post has. */
function bodyOf({ html, markdown, mobiledoc, lexical }: GhostPost, notes: string[]): string | undefined {
  if (html) return html
  try {
    const text = markdown || markdownIn(mobiledoc)
    if (text) return htmlOf(text)
  } catch (error) {
    notes.push(`Its Markdown cannot be shown: ${messageOf(error)}`)
    return undefined
  }
  if (!lexical && !mobiledoc) {
    notes.push('It has no text.')
    return ''
  }
  const form = lexical ? 'lexical' : 'mobiledoc'
  notes.push(`It has no HTML in the export, only the ${form} form of Ghost's editor.`)
  return undefined
}

/** The text of a mobiledoc that has only cards of Markdown. */
function markdownIn(mobiledoc: string | null | undefined): string | undefined {
  const { data } = Cards.safeParse(mobiledoc ? JSON.parse(mobiledoc) : undefined)
  const texts = data?.sections.map(section => {
    const card = CARD.safeParse(section).data
    const [name, payload] = (card && data.cards[card[1]]) ?? ['']
    return /^(?:card-)?markdown$/.test(name) ? MarkdownCard.safeParse(payload).data?.markdown : undefined
  })
  return texts?.every(text => text !== undefined) ? texts.join('\n\n') : undefined
}

/** Ghost writes `__GHOST_URL__` for its own address. */
function imageOf(url: string | null | undefined, base: string | undefined): string {
  return absoluteUrl((url ?? '').replaceAll('__GHOST_URL__', base ?? ''), base)
}
