// A post or page from one Markdown file: what the generators have in common, by the first member that is set.
import { Marked } from 'marked'
import type { Unusable } from '../item.ts'
import { type ForeignPost, secondsOf } from './foreign.ts'
import { textOf, textsOf } from './front-matter.ts'

/** `path`: in the folder, with slashes. `changed_at`: of the file. */
export type MarkdownFile = {
  path: string
  changed_at: number
  members: Record<string, unknown>
  text: string
}

const DATED = /^(\d{4}-\d\d-\d\d)-(.+)$/
const POST_FOLDER = /(?:^|\/)(?:_?posts?|_drafts|blog|articles|news)\//i
const DRAFT_FOLDER = /(?:^|\/)_drafts\//
/** Template tags of Hugo, Jekyll and Eleventy. */
const TEMPLATE_TAG = /\{\{[<%]|\{%/

export function categoryNamesOf(members: Record<string, unknown>): string[] {
  const names = textsOf(members, 'category', 'categories', 'tags')
  // Eleventy puts every post into this collection.
  return [...new Set(names.filter(name => name !== '' && name !== 'posts' && name !== 'post'))]
}

export function markdownPost(
  { path, changed_at, members, text }: MarkdownFile,
  sourceUrl: string | undefined,
): ForeignPost | Unusable {
  const name = nameOf(path)
  if (name === undefined) {
    return { kind: 'page', label: path, problem: 'It is the start page of a folder.', isWrong: false }
  }
  const [, day, dated] = DATED.exec(name) ?? []
  const notes: string[] = []
  const date = secondsOf(
    members.date ?? members.pubDate ?? members.publishDate ?? members.published_at ?? day,
  )
  const isDraft = members.draft === true || members.published === false || DRAFT_FOLDER.test(path)
  const content_type = isPage(members, path, date) ? ('page' as const) : ('post' as const)
  if (date === null && !isDraft && content_type === 'post') {
    notes.push('It has no date: that of the file is used.')
  }
  if (TEMPLATE_TAG.test(text)) notes.push('It has template tags, which stay as they are.')
  if (/\.mdx$/i.test(path)) notes.push('Components of MDX stay as they are.')
  const heading = /^\s*# +(.+?) *#*\n/.exec(text)
  const title = textOf(members, 'title')
  const posted_at = date ?? (isDraft ? null : changed_at)
  return {
    key: `post:${path}`,
    title: title || heading?.[1] || (dated ?? name).replaceAll(/[-_]+/g, ' '),
    slug: textOf(members, 'slug') || permalinkOf(members) || (dated ?? name),
    // A heading that became the title is not shown twice.
    body: htmlOf(title || !heading ? text : text.slice(heading[0].length), sourceUrl),
    description: textOf(members, 'description', 'summary', 'excerpt', 'subtitle'),
    content_type,
    image: imageOf(members, sourceUrl),
    author: null,
    categories: categoryNamesOf(members).map(category => `category:${category.toLowerCase()}`),
    seo_title: '',
    meta_desc: '',
    is_published: !isDraft,
    posted_at,
    created_at: date ?? changed_at,
    updated_at: secondsOf(
      members.lastmod ?? members.updatedDate ?? members.updated ?? members.last_modified_at ?? null,
    ),
    notes,
  }
}

/** The name of the file, or of its folder for a page bundle. Undefined for a start page. */
function nameOf(path: string): string | undefined {
  const [name = '', folder] = path
    .replace(/\.[^./]+$/, '')
    .split('/')
    .reverse()
  if (name === '_index') return undefined
  return name === 'index' ? folder : name
}

function isPage(members: Record<string, unknown>, path: string, date: number | null): boolean {
  const kind = textOf(members, 'type', 'layout')
  if (/^pages?$/i.test(kind)) return true
  return date === null && !/^posts?$/i.test(kind) && !POST_FOLDER.test(`${path}`)
}

/** The last part of a permalink without placeholders. */
function permalinkOf(members: Record<string, unknown>): string {
  const permalink = textOf(members, 'permalink', 'url')
  if (/[:{]/.test(permalink.replace(/^https?:/, ''))) return ''
  return (
    permalink
      .replace(/(?:index)?\.html$/, '')
      .split('/')
      .filter(part => part !== '')
      .at(-1) ?? ''
  )
}

const IMAGE_MEMBERS = ['image', 'featured_image', 'heroImage', 'cover', 'thumbnail', 'feature_image']

function imageOf(members: Record<string, unknown>, sourceUrl: string | undefined): string | undefined {
  for (const name of IMAGE_MEMBERS) {
    const value = members[name]
    const inner: Record<string, unknown> = Object(value)
    const text = typeof value === 'string' ? value : textOf(inner, 'src', 'url', 'image', 'path')
    if (text !== '') return absolute(text, sourceUrl)
  }
  return undefined
}

function absolute(url: string, base: string | undefined): string {
  return base !== undefined && !/^(?:[a-z][a-z0-9+.-]*:|#)/i.test(url)
    ? (URL.parse(url, base)?.href ?? url)
    : url
}

/** GitHub's Markdown, with HTML as it is. With the address of the old site, links are absolute. */
function htmlOf(text: string, sourceUrl: string | undefined): string {
  const marked = new Marked({
    async: false,
    gfm: true,
    walkTokens: token => {
      if (token.type === 'link' || token.type === 'image') token.href = absolute(token.href, sourceUrl)
    },
  })
  return String(marked.parse(text)).trim()
}
