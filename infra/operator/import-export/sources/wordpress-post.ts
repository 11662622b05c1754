// A post or page of WordPress. Other items, such as attachments and revisions, are left out.
import { textOf } from '../../../../shared/posts/html-text.ts'
import type { ForeignCategory, ForeignPost } from './foreign.ts'
import { Skip } from './source.ts'
import { isUnclear, knownTime } from './time.ts'
import { bodyOf, htmlOfFootnotes } from './wordpress-body.ts'
import { childrenOf, type Element, textIn, timeIn } from './wordpress-xml.ts'

export const TAXONOMIES = ['category', 'post_tag']
const LEFT_OUT = new Set(['trash', 'auto-draft', 'inherit'])

export type PostContext = {
  base: string
  /** Whether the owner named the address of the old site. */
  isMoved: boolean
  /** Those whose terms become categories. */
  taxonomies: string[]
  /** Attachments and synced blocks among them, by their ids. */
  items: Map<string, Element>
}

export function nameOf(item: Element): string {
  return textOf(textIn(item, 'title')) || textIn(item, 'wp:post_name') || textIn(item, 'wp:post_id')
}

export function kindIn(item: Element): string {
  return textIn(item, 'wp:post_type') || 'item'
}

/** `number`: which item it is, for the key of one without an id. Throws Skip, and if it has no such day. */
export function foreignPost(item: Element, number: number, context: PostContext): ForeignPost {
  const [kind, status] = [kindIn(item), textIn(item, 'wp:status')]
  if (kind === 'wp_block') throw new Skip('It stands in the posts that name it.')
  if (kind !== 'post' && kind !== 'page') throw new Skip(`Items of the type ${kind} have no place here.`)
  if (LEFT_OUT.has(status)) throw new Skip(`Its status is ${status}.`)
  const notes: string[] = []
  const id = Number(textIn(item, 'wp:post_id'))
  const slug = textIn(item, 'wp:post_name')
  const time = timeIn(item, 'wp:post_date')
  const isPublic = isShown(item, status, notes) && !isUnclear(time, status === 'future', notes)
  const date = knownTime(time)
  notesOf(item, notes)
  const author = textIn(item, 'dc:creator')
  const address = addressOf(item, slug, context)
  const oldSlugs = metaIn(item, '_wp_old_slug').filter(old => old !== '')
  return {
    key: id > 0 ? `post:${id}` : `post:#${number} ${slug}`,
    id: id > 0 && Number.isSafeInteger(id) ? id : undefined,
    title: textOf(textIn(item, 'title')),
    slug,
    body: bodyOf(textIn(item, 'content:encoded'), blocksOf(item, context), notes),
    description: textOf(textIn(item, 'excerpt:encoded')),
    content_type: kind,
    image: imageOf(item, context, notes),
    author: author === '' ? null : `user:${author}`,
    categories: categoriesOf(item, context, notes),
    seo_title: plainMeta(item, ['_yoast_wpseo_title', 'rank_math_title'], 'SEO title', notes),
    meta_desc: plainMeta(item, ['_yoast_wpseo_metadesc', 'rank_math_description'], 'meta description', notes),
    is_published: isPublic,
    posted_at: status === 'draft' || status === 'pending' ? null : date,
    created_at: date,
    updated_at: knownTime(timeIn(item, 'wp:post_modified')) ?? date,
    address: address?.href,
    oldAddresses: isPublic ? oldPaths(address?.pathname ?? '', slug, oldSlugs) : [],
    notes,
  }
}

/** The content that a block only names: that of a synced block, or of footnotes. */
function blocksOf(item: Element, { items }: PostContext) {
  return (name: string, reference: string): string | undefined => {
    if (name === 'footnotes') return htmlOfFootnotes(metaIn(item, 'footnotes')[0])
    const synced = name === 'block' ? items.get(reference) : undefined
    return synced && kindIn(synced) === 'wp_block' ? textIn(synced, 'content:encoded') : undefined
  }
}

function isShown(item: Element, status: string, notes: string[]): boolean {
  const hasPassword = textIn(item, 'wp:post_password') !== ''
  const isPublished = status === 'publish' || status === 'future'
  if (isPublished && hasPassword) notes.push('It was protected by a password, so it is a draft.')
  if (!isPublished && !['draft', ''].includes(status)) notes.push(`It was ${status}, so it is a draft.`)
  return isPublished && !hasPassword
}

/** What has no place here, besides what the other members note. */
function notesOf(item: Element, notes: string[]): void {
  if (textIn(item, 'wp:is_sticky') === '1') notes.push('It was sticky.')
  const parent = Number(textIn(item, 'wp:post_parent'))
  if (parent > 0) notes.push(`It was below page ${parent}, and pages have no parents here.`)
  const keys = childrenOf(item, 'wp:postmeta').map(field => textIn(field, 'wp:meta_key'))
  const others = [...new Set(keys.filter(key => !/^(?:_.*|rank_math_.*|footnotes|)$/.test(key)))]
  if (others.length > 0) notes.push(`It has custom fields: ${others.slice(0, 20).join(', ')}.`)
}

/** The page's own address: its link, on the old site if the owner named that; without one, its slug there. */
function addressOf(item: Element, slug: string, { base, isMoved }: PostContext): URL | null {
  const link = URL.parse(textIn(item, 'link'))
  if (link === null || !/^https?:$/.test(link.protocol) || link.search !== '') {
    return base === '' ? null : URL.parse(`${base}/${slug}${slug === '' ? '' : '/'}`)
  }
  // Some links have two slashes where the path begins, which would make it the name of a host.
  const path = link.pathname.replace(/^\/+/, '/')
  return URL.parse(path, isMoved ? base : link.origin)
}

/** The path of the page, and the same path with each slug that the page had before. */
function oldPaths(path: string, slug: string, oldSlugs: string[]): string[] {
  const name = `/${slug}`
  const at = slug === '' ? -1 : path.lastIndexOf(name)
  const withSlug = (old: string) =>
    at < 0 ? `/${old}/` : `${path.slice(0, at)}/${old}${path.slice(at + name.length)}`
  return [...(/[^/]/.test(path) ? [path] : []), ...oldSlugs.map(withSlug)]
}

/** The values of a custom field. */
function metaIn(item: Element, key: string): string[] {
  const fields = childrenOf(item, 'wp:postmeta').filter(field => textIn(field, 'wp:meta_key') === key)
  return fields.map(field => textIn(field, 'wp:meta_value'))
}

function imageOf(item: Element, { items }: PostContext, notes: string[]): string {
  const [id = ''] = metaIn(item, '_thumbnail_id')
  const attachment = items.get(id)
  const image = attachment ? textIn(attachment, 'wp:attachment_url') : ''
  if (image === '' && Number(id) > 0) {
    notes.push(`Its image is not in the export (attachment ${id}): import the files of an export together.`)
  }
  return image
}

/** Categories and tags of one slug are one category. */
export function categoryFrom(taxonomy: string, slug: string, name: string): ForeignCategory {
  const term = slug || name
  const key = TAXONOMIES.includes(taxonomy) ? `category:${term}` : `category:${taxonomy}:${term}`
  return { key, name: textOf(name), slug }
}

/** Version 1.0 of the format calls tags `tag`. Its files have terms by name alone, or by name and by slug. */
function termsOf(item: Element) {
  const terms = childrenOf(item, 'category').map(({ attributes: { domain = '', nicename = '' }, text }) => ({
    taxonomy: domain === 'tag' ? 'post_tag' : domain || 'category',
    slug: nicename,
    name: text,
  }))
  const withSlug = terms.filter(({ slug }) => slug !== '')
  return withSlug.length > 0 ? withSlug : terms.filter(({ name }) => name !== '')
}

function categoriesOf(item: Element, { taxonomies }: PostContext, notes: string[]): ForeignCategory[] {
  const byTaxonomy = Map.groupBy(termsOf(item), ({ taxonomy }) => taxonomy)
  const authors = byTaxonomy.get('author')?.map(({ name }) => name) ?? []
  if (authors.length > 1) notes.push(`It has the authors ${authors.join(', ')}.`)
  const others = [...byTaxonomy]
    .filter(([taxonomy]) => taxonomy !== 'author' && !taxonomies.includes(taxonomy))
    .flatMap(([taxonomy, terms]) => terms.map(({ name }) => `${taxonomy} (${name})`))
  if (others.length > 0) {
    notes.push(`It has terms of taxonomies that --taxonomies does not name: ${others.join(', ')}.`)
  }
  return taxonomies.flatMap(taxonomy =>
    (byTaxonomy.get(taxonomy) ?? []).map(({ slug, name }) => categoryFrom(taxonomy, slug, name)),
  )
}

/** The SEO plug-ins fill in templates such as %%title%% and %title%, which are no text. */
const TEMPLATE = /%%\w+%%|%[a-z]\w+%/

function plainMeta(item: Element, names: string[], what: string, notes: string[]): string {
  const text = names.flatMap(name => metaIn(item, name)).find(text => text !== '') ?? ''
  const template = TEMPLATE.exec(text)
  if (!template) return textOf(text)
  notes.push(`Its ${what} is left out, since it has ${template[0]}.`)
  return ''
}
