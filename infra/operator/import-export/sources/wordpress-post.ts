// A post or page of WordPress. Other items, such as attachments and revisions, are left out.
import { withParagraphs } from './autop.ts'
import type { ForeignPost } from './foreign.ts'
import { plainLine } from './html.ts'
import type { Unusable } from './source.ts'
import { secondsOf } from './time.ts'
import { childrenOf, type Element, textIn } from './xml.ts'

export const TAXONOMIES = ['category', 'post_tag']
const LEFT_OUT = new Set(['trash', 'auto-draft', 'inherit'])

export type PostContext = {
  base: string
  /** Whether the owner named the address of the old site. */
  isMoved: boolean
  /** Whose terms become categories. */
  taxonomies: string[]
  /** Of attachments, by their ids. */
  images: Map<string, string>
  /** Synced blocks, by their ids. */
  blocks: Map<string, string>
}

/** Categories and tags of one name are one category. */
export function termKey(domain: string, slug: string): string {
  return TAXONOMIES.includes(domain) ? `category:${slug}` : `category:${domain}:${slug}`
}

export function postTypeOf(item: Element): 'post' | 'page' | undefined {
  const type = textIn(item, 'wp:post_type')
  return type === 'post' || type === 'page' ? type : undefined
}

/** Whether it has a character in place of bytes that could not be read. */
export function isBroken({ text, children }: Element): boolean {
  return text.includes('\ufffd') || children.some(isBroken)
}

export function nameOf(item: Element): string {
  return plainLine(textIn(item, 'title')) || textIn(item, 'wp:post_name') || textIn(item, 'wp:post_id')
}

/** `number`: of the item in its file, for one without an id. */
export function foreignPost(item: Element, number: number, context: PostContext): ForeignPost | Unusable {
  const id = Number(textIn(item, 'wp:post_id'))
  const status = textIn(item, 'wp:status')
  const content_type = postTypeOf(item)
  if (!content_type || LEFT_OUT.has(status)) {
    const kind = textIn(item, 'wp:post_type') || 'item'
    const problem = content_type
      ? `Its status is ${status}.`
      : kind === 'wp_block'
        ? 'It stands in the posts that name it.'
        : `Items of the type ${kind} have no place here.`
    return { kind, label: nameOf(item), problem, isWrong: false }
  }
  const notes: string[] = []
  const hasPassword = textIn(item, 'wp:post_password') !== ''
  const isPublished = status === 'publish' || status === 'future'
  const isPublic = isPublished && !hasPassword
  if (isPublished && hasPassword) notes.push('It was protected by a password, so it is a draft.')
  if (!isPublished && !['draft', ''].includes(status)) notes.push(`It was ${status}, so it is a draft.`)
  const slug = textIn(item, 'wp:post_name')
  const meta = metaOf(item)
  const date = secondsOf(textIn(item, 'wp:post_date_gmt')) ?? secondsOf(textIn(item, 'wp:post_date'))
  const author = textIn(item, 'dc:creator')
  const address = addressOf(item, slug, context)
  const hasAddress = isPublic && /[^/]/.test(address?.pathname ?? '')
  return {
    key: id > 0 ? `post:${id}` : `post:#${number} ${slug}`,
    id: id > 0 && Number.isSafeInteger(id) ? id : undefined,
    title: plainLine(textIn(item, 'title')),
    slug,
    body: bodyOf(textIn(item, 'content:encoded'), context, notes),
    description: plainLine(textIn(item, 'excerpt:encoded')),
    content_type,
    image: imageOf(meta, context, notes),
    author: author === '' ? null : `user:${author}`,
    categories: categoriesOf(item, context, notes),
    seo_title: plainMeta(meta, ['_yoast_wpseo_title', 'rank_math_title'], 'SEO title', notes),
    meta_desc: plainMeta(meta, ['_yoast_wpseo_metadesc', 'rank_math_description'], 'meta description', notes),
    is_published: isPublic,
    posted_at: status === 'draft' || status === 'pending' ? null : date,
    created_at: date,
    updated_at: secondsOf(textIn(item, 'wp:post_modified_gmt')) ?? date,
    address: address?.href,
    oldAddresses: [
      ...(address && hasAddress ? [address.pathname] : []),
      ...(isPublic ? (meta.get('_wp_old_slug') ?? []).map(old => oldPath(address, slug, old)) : []),
    ],
    notes,
  }
}

/** The page's own address: its link, on the old site that the owner named, else its slug there. */
function addressOf(item: Element, slug: string, { base, isMoved }: PostContext): URL | null {
  const link = URL.parse(textIn(item, 'link').trim())
  const isPermalink = link !== null && /^https?:$/.test(link.protocol) && link.search === ''
  if (isPermalink) return isMoved ? URL.parse(link.pathname, base) : link
  return base === '' ? null : URL.parse(`${base}/${slug}${slug === '' ? '' : '/'}`)
}

function oldPath(address: URL | null, slug: string, old: string): string {
  const path = address?.pathname ?? ''
  const name = `/${slug}`
  const at = slug === '' ? -1 : path.lastIndexOf(name)
  return at < 0 ? `/${old}/` : `${path.slice(0, at)}/${old}${path.slice(at + name.length)}`
}

function metaOf(item: Element): Map<string, string[]> {
  const pairs = childrenOf(item, 'wp:postmeta').map(
    meta => [textIn(meta, 'wp:meta_key'), textIn(meta, 'wp:meta_value')] as const,
  )
  return new Map(
    [...Map.groupBy(pairs, ([key]) => key)].map(([key, all]) => [key, all.map(([, value]) => value)]),
  )
}

function imageOf(meta: Map<string, string[]>, { images }: PostContext, notes: string[]): string {
  const id = meta.get('_thumbnail_id')?.[0] ?? ''
  const image = images.get(id) ?? ''
  if (image === '' && Number(id) > 0) {
    notes.push(`Its image is not in the export (attachment ${id}): import the files of an export together.`)
  }
  return image
}

/** Version 1.0 has another name for tags. */
export function termsOf(item: Element) {
  return childrenOf(item, 'category').map(({ attributes: { domain = '', nicename = '' }, text }) => ({
    domain: domain === 'tag' ? 'post_tag' : domain,
    slug: nicename,
    text,
  }))
}

function categoriesOf(item: Element, { taxonomies }: PostContext, notes: string[]): string[] {
  const all = termsOf(item).filter(({ slug }) => slug !== '')
  const authors = all.filter(({ domain }) => domain === 'author').map(({ text }) => text)
  if (authors.length > 1) notes.push(`It has the authors ${authors.join(', ')}.`)
  const others = all.filter(
    ({ domain }) => domain !== '' && domain !== 'author' && !taxonomies.includes(domain),
  )
  if (others.length > 0) {
    const names = others.map(({ domain, text }) => `${domain} (${text})`)
    notes.push(`It has terms of taxonomies that --taxonomies does not name: ${names.join(', ')}.`)
  }
  return taxonomies.flatMap(taxonomy =>
    all.filter(({ domain }) => domain === taxonomy).map(({ domain, slug }) => termKey(domain, slug)),
  )
}

/** The SEO plug-ins fill in templates such as %%title%% and %title%, which are no text. */
const TEMPLATE = /%%\w+%%|%[a-z]\w+%/

function plainMeta(meta: Map<string, string[]>, names: string[], what: string, notes: string[]): string {
  const text = names.map(name => meta.get(name)?.[0] ?? '').find(text => text !== '') ?? ''
  const template = TEMPLATE.exec(text)
  if (!template) return plainLine(text)
  notes.push(`Its ${what} is left out, since it has ${template[0]}.`)
  return ''
}

function bodyOf(content: string, context: PostContext, notes: string[]): string {
  const isOfBlocks = content.includes('<!-- wp:')
  const html = isOfBlocks
    ? withoutBlockComments(content, context.blocks, notes).trim()
    : withParagraphs(content)
  const codes = shortcodesIn(html)
  if (codes.length > 0) notes.push(`It has shortcodes, which stay as they are: ${codes.join(', ')}.`)
  return html
}

const BLOCK = /^<!--\s?(\/?)wp:(\S+)/
const REFERENCE = /"ref":\s?(\d+)/

/** The block editor stores HTML with comments. A block without HTML is made when it is shown: it is noted. */
function withoutBlockComments(
  content: string,
  blocks: Map<string, string>,
  notes: string[],
  depth = 0,
): string {
  const parts: string[] = []
  const dynamic = new Set<string>()
  let done = 0
  for (;;) {
    const start = content.indexOf('<!--', done)
    const end = start < 0 ? -1 : content.indexOf('-->', start)
    if (end < 0) break
    const comment = content.slice(start, end + 3)
    const [, , name] = BLOCK.exec(comment) ?? []
    parts.push(content.slice(done, start), name === undefined ? comment : '')
    done = end + 3
    if (name === undefined) continue
    if (content[done] === '\n') done++
    if (!comment.endsWith('/-->')) continue
    const synced = name === 'block' ? blocks.get(REFERENCE.exec(comment)?.[1] ?? '') : undefined
    if (synced === undefined || depth > 2) {
      dynamic.add(name)
    } else {
      parts.push(withoutBlockComments(synced, blocks, notes, depth + 1))
    }
  }
  if (dynamic.size > 0) {
    notes.push(`It has blocks without HTML, which are left out: ${[...dynamic].join(', ')}.`)
  }
  return parts.join('') + content.slice(done)
}

const SHORTCODE = /\[(\/?)([a-z][a-z0-9_-]{1,40})((?=[\s/\]])[^[\]<>]*)\]/gi
const KNOWN = new Set(
  'caption gallery embed audio video playlist contact-form contact-form-7 more'.split(' '),
)

/** Words in brackets that are no shortcodes have neither an end nor attributes. */
function shortcodesIn(html: string): string[] {
  const names = new Set<string>()
  for (const [, end, name = '', rest = ''] of html.matchAll(SHORTCODE)) {
    if (end === '/' || rest.includes('=') || KNOWN.has(name)) names.add(name)
  }
  return [...names]
}
