// Posts and pages of WordPress. Other items, such as attachments and revisions, are left out.
import type { Unusable } from '../item.ts'
import { type ForeignPost, secondsOf } from './foreign.ts'
import { withParagraphs } from './paragraphs.ts'
import { childrenOf, type Element, textIn } from './xml.ts'

const TAXONOMIES = ['category', 'post_tag']
const LEFT_OUT = new Set(['trash', 'auto-draft', 'inherit'])

export function termKey(nicename: string): string {
  return `category:${nicename}`
}

export function postTypeOf(item: Element): 'post' | 'page' | undefined {
  const type = textIn(item, 'wp:post_type')
  return type === 'post' || type === 'page' ? type : undefined
}

/** `images`: the URLs of attachments by their ids. */
export function foreignPost(item: Element, images: Map<string, string>): ForeignPost | Unusable {
  const id = textIn(item, 'wp:post_id')
  const title = textIn(item, 'title')
  const status = textIn(item, 'wp:status')
  const content_type = postTypeOf(item)
  if (!content_type || LEFT_OUT.has(status)) {
    const kind = textIn(item, 'wp:post_type') || 'item'
    const problem = content_type
      ? `Its status is ${status}.`
      : `Items of the type ${kind} have no place here.`
    return { kind, label: title || id, problem, isWrong: false }
  }
  const notes: string[] = []
  const hasPassword = textIn(item, 'wp:post_password') !== ''
  const isPublished = status === 'publish' || status === 'future'
  if (isPublished && hasPassword) notes.push('It was protected by a password, so it is a draft.')
  if (status === 'private') notes.push('It was private, so it is a draft.')
  const body = withParagraphs(textIn(item, 'content:encoded'))
  if (SHORTCODE.test(body)) notes.push('It has shortcodes, which stay as they are.')
  const meta = metaOf(item)
  const date = secondsOf(textIn(item, 'wp:post_date_gmt')) ?? secondsOf(textIn(item, 'wp:post_date'))
  const author = textIn(item, 'dc:creator')
  return {
    key: `post:${id}`,
    id: Number(id) > 0 ? Number(id) : undefined,
    title,
    slug: textIn(item, 'wp:post_name'),
    body,
    description: textIn(item, 'excerpt:encoded'),
    content_type,
    image: images.get(meta.get('_thumbnail_id') ?? '') || undefined,
    author: author === '' ? null : `user:${author}`,
    categories: TAXONOMIES.flatMap(taxonomy =>
      childrenOf(item, 'category')
        .filter(({ attributes }) => attributes.domain === taxonomy)
        .map(({ attributes }) => termKey(attributes.nicename ?? '')),
    ),
    seo_title: plain(meta.get('_yoast_wpseo_title') ?? meta.get('rank_math_title')),
    meta_desc: plain(meta.get('_yoast_wpseo_metadesc') ?? meta.get('rank_math_description')),
    is_published: isPublished && !hasPassword,
    posted_at: isPublished || hasPassword ? date : null,
    created_at: date,
    updated_at: secondsOf(textIn(item, 'wp:post_modified_gmt')) ?? date,
    notes,
  }
}

const SHORTCODE = /\[(?:caption|gallery|embed|audio|video|playlist|contact-form)\b/

function metaOf(item: Element): Map<string, string> {
  return new Map(
    childrenOf(item, 'wp:postmeta').map(meta => [textIn(meta, 'wp:meta_key'), textIn(meta, 'wp:meta_value')]),
  )
}

/** The SEO plug-ins fill in templates such as %%title%%, which are no text. */
function plain(text = ''): string {
  return text.includes('%') ? '' : text
}
