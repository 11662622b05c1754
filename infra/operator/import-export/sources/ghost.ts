// Ghost's export: one JSON file with tables of posts, tags and users. Each row is read by itself.
import * as z from 'zod/mini'
import { OperatorError } from '../../command.ts'
import { readText } from './files.ts'
import { type ForeignPost, foreignSource, noRecords } from './foreign.ts'
import { isSet, type Members, textOf } from './front-matter.ts'
import { messageOf, problemOf, type Source, type SourceOptions, unusable } from './source.ts'
import { absoluteUrl, htmlOf } from './texts.ts'
import { foreignTime, isUnclear, knownTime, secondsOf } from './time.ts'

const Column = z.nullish(z.union([z.string(), z.number(), z.boolean()]))

/** The columns of all tables that are read, also of older versions. */
const COLUMNS =
  'id uuid title slug html lexical mobiledoc markdown plaintext custom_excerpt meta_title meta_description ' +
  'feature_image image page type status visibility created_at updated_at published_at canonical_url ' +
  'email_only name email bio profile_image description post_id tag_id author_id sort_order'
const Row = z.looseObject(Object.fromEntries(COLUMNS.split(' ').map(name => [name, Column])))
const Tag = z.extend(Row, { name: z.string() })

const Rows = z.nullish(z.array(z.unknown()))
const Data = z.object({
  posts: z.array(z.unknown()),
  posts_meta: Rows,
  users: Rows,
  tags: Rows,
  posts_tags: Rows,
  posts_authors: Rows,
})
const Database = z.object({ data: Data })
const Export = z.union([z.object({ db: z.tuple([Database], z.unknown()) }), Database])

/** Throws OperatorError if the file is no export of Ghost. */
export async function openGhost(file: string, { sourceUrl, nowSeconds }: SourceOptions): Promise<Source> {
  const { text, brokenAt } = await readText(file)
  const { data: parsed, error } = Export.safeParse(jsonOf(text, file))
  if (!parsed) throw new OperatorError(`${file} is no export of Ghost: ${problemOf(error)}`)
  const { data } = 'db' in parsed ? parsed.db[0] : parsed
  const records = noRecords()
  const read = (table: keyof typeof data, kind: string): Members[] =>
    (data[table] ?? []).flatMap((row, n) => {
      const { data: read, error } = (table === 'tags' ? Tag : Row).safeParse(row)
      const isBroken = brokenAt !== undefined && JSON.stringify(row).includes('\ufffd')
      if (read && !isBroken) return [read]
      const label = `${table}.${n}`
      const reason = error ? `${label}.${problemOf(error)}` : 'It has bytes that are not UTF-8.'
      records.unusable.push({ outcome: 'wrong', kind, label, reason })
      return []
    })
  const base = sourceUrl?.replace(/\/+$/, '')
  for (const user of read('users', 'user')) {
    const [name, email] = [textOf(user, 'name'), textOf(user, 'email')]
    records.users.push({
      key: `user:${textOf(user, 'id') || `#${email}`}`,
      name,
      email,
      avatar: imageIn(user, base, 'profile_image', 'image'),
      bio: textOf(user, 'bio'),
      created_at: secondsOf(user.created_at),
    })
  }
  const tagKeys = new Set<string>()
  for (const tag of read('tags', 'category')) {
    const [name, slug] = [textOf(tag, 'name'), textOf(tag, 'slug')]
    const key = `category:${textOf(tag, 'id') || `#${slug}`}`
    tagKeys.add(key)
    // Tags whose names begin with # are for themes, not for readers.
    if (textOf(tag, 'visibility') === 'internal' || name.startsWith('#')) continue
    records.categories.push({ key, name, slug, description: textOf(tag, 'description') })
  }
  const names = new Map(records.users.map(({ key, name }) => [key, name]))
  const categories = new Map(records.categories.map(category => [category.key, category]))
  const authorsOf = linksOf(read('posts_authors', 'link'), 'author_id', 'user')
  const tagsOf = linksOf(read('posts_tags', 'link'), 'tag_id', 'category')
  const metas = new Map(read('posts_meta', 'meta').map(meta => [textOf(meta, 'post_id'), meta]))
  for (const row of read('posts', 'post')) {
    const id = textOf(row, 'id')
    try {
      const post = foreignPost({ ...row, ...metas.get(id), id }, base)
      const only = textOf(row, 'author_id')
      const [author = only === '' ? null : `user:${only}`, ...others] = authorsOf.get(id) ?? []
      const otherNames = others.map(key => names.get(key) || key)
      if (otherNames.length > 0) post.notes.push(`It also has the authors ${otherNames.join(', ')}.`)
      const ofPost = tagsOf.get(id) ?? []
      const known = ofPost.flatMap(key => categories.get(key) ?? [])
      if (ofPost.some(key => !tagKeys.has(key))) post.notes.push('One of its tags was not imported.')
      records.posts.push({ ...post, author, categories: known })
    } catch (error) {
      records.unusable.push(unusable('post', textOf(row, 'slug', 'title', 'id'), error))
    }
  }
  return foreignSource('ghost', 'an export of Ghost', records, nowSeconds)
}

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const cause = messageOf(error).slice(0, 200)
    throw new OperatorError(
      `${file} is no whole JSON: ${cause} Nothing was imported. Export again, or name its format: --from own.`,
    )
  }
}

/** The keys of what a post is linked with, in Ghost's order. */
function linksOf(links: Members[], member: string, kind: string): Map<string, string[]> {
  const sorted = links.toSorted((a, b) => Number(a.sort_order ?? 0) - Number(b.sort_order ?? 0))
  const byPost = Map.groupBy(sorted, link => textOf(link, 'post_id'))
  return new Map([...byPost].map(([id, all]) => [id, all.map(link => `${kind}:${textOf(link, member)}`)]))
}

/** What a theme or a mail shows. */
const NO_PLACE =
  'featured codeinjection_head codeinjection_foot custom_template feature_image_alt feature_image_caption'

/** Throws if it has no such day. */
function foreignPost(post: Members, base: string | undefined): ForeignPost {
  const notes: string[] = []
  const [status, slug] = [textOf(post, 'status'), textOf(post, 'slug')]
  const isForAll = (textOf(post, 'visibility') || 'public') === 'public'
  const isPublished = status === 'published' || status === 'scheduled'
  const isMail = status === 'sent' || isSet(post.email_only) === true
  const time = foreignTime(post.published_at)
  if (isPublished && !isForAll) notes.push('It was for members only, so it is a draft.')
  if (isMail) notes.push('It is only sent as a mail, so it is a draft.')
  if (!isPublished && !['draft', 'sent', ''].includes(status)) {
    notes.push(`Its status is ${status}, so it is a draft.`)
  }
  const others = NO_PLACE.split(' ').filter(name => isSet(post[name]))
  if (others.length > 0) notes.push(`Left out: ${others.join(', ')}.`)
  const isShown = isPublished && isForAll && !isMail && !isUnclear(time, status === 'scheduled', notes)
  const canonical = textOf(post, 'canonical_url')
  if (canonical) notes.push(`Its canonical address ${canonical} has no place here.`)
  const body = bodyOf(post, notes)
  if (body === undefined && isShown) notes.push('It is a draft.')
  return {
    // Ghost before version 1 numbered its posts, so that only the uuid differs between sites.
    key: `post:${textOf(post, 'uuid', 'id') || `#${slug}`}`,
    title: textOf(post, 'title'),
    slug,
    body: (body ?? '').replaceAll('__GHOST_URL__', base ?? ''),
    description: textOf(post, 'custom_excerpt'),
    content_type: post.type === 'page' || isSet(post.page) === true ? 'page' : 'post',
    image: imageIn(post, base, 'feature_image', 'image'),
    categories: [],
    seo_title: textOf(post, 'meta_title'),
    meta_desc: textOf(post, 'meta_description'),
    is_published: isShown && body !== undefined,
    posted_at: knownTime(time),
    created_at: secondsOf(post.created_at),
    updated_at: secondsOf(post.updated_at),
    address: base === undefined ? undefined : `${base}/${encodeURIComponent(slug)}/`,
    oldAddresses: isShown && slug !== '' ? [`/${encodeURIComponent(slug)}/`] : [],
    notes,
  }
}

/** Undefined if no library that is kept renders what the post has. */
function bodyOf(post: Members, notes: string[]): string | undefined {
  const html = textOf(post, 'html')
  if (html) return html
  const [mobiledoc, lexical] = [textOf(post, 'mobiledoc'), textOf(post, 'lexical')]
  try {
    const text = textOf(post, 'markdown') || markdownIn(mobiledoc)
    if (text) return htmlOf(text)
  } catch (error) {
    notes.push(`Its Markdown cannot be shown: ${messageOf(error)}`)
    return undefined
  }
  const editorForm = lexical ? 'lexical' : mobiledoc ? 'mobiledoc' : undefined
  const form = editorForm ? `the ${editorForm} form of Ghost's editor` : 'plain text'
  if (!editorForm && !textOf(post, 'plaintext')) {
    notes.push('It has no text.')
    return ''
  }
  notes.push(`It has no HTML in the export, only ${form}.`)
  return undefined
}

/** A mobiledoc that has only cards of Markdown: a section is the number of one. */
const MarkdownCard = z.tuple(
  [z.enum(['markdown', 'card-markdown']), z.object({ markdown: z.string() })],
  z.unknown(),
)
const MarkdownCards = z.object({
  cards: z.array(MarkdownCard),
  sections: z.array(z.tuple([z.literal(10), z.int()], z.unknown())),
})

function markdownIn(mobiledoc: string): string | undefined {
  const { data } = MarkdownCards.safeParse(mobiledoc ? JSON.parse(mobiledoc) : undefined)
  return data?.sections.map(([, number]) => data.cards[number]?.[1].markdown ?? '').join('\n\n')
}

/** Ghost writes `__GHOST_URL__` for its own address. */
function imageIn(row: Members, base: string | undefined, ...names: string[]): string {
  return absoluteUrl(textOf(row, ...names).replaceAll('__GHOST_URL__', base ?? ''), base)
}
