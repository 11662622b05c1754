// A post or page from one file: what the generators have in common, by the first member that is set.
import type { ForeignPost } from './foreign.ts'
import { isSet, type Members, namesOf, textOf } from './front-matter.ts'
import { htmlOf } from './html.ts'
import type { Unusable } from './source.ts'
import { type ForeignTime, foreignTime } from './time.ts'

/** `path`: in the folder, with slashes. */
export type ContentFile = { path: string; members: Members; text: string }
export type Folder = { sourceUrl: string | undefined; isJekyll: boolean; nowSeconds: number }

const DATED = /^(\d{4}-\d\d?-\d\d?)-(.+)$/
const POST_FOLDER = /(?:^|\/)(?:_?posts?|_drafts|blog|articles|news)\//i
const DRAFT_FOLDER = /(?:^|\/)_drafts\//
/** Two letters and a region: longer suffixes are words. */
const LANGUAGE = /^(.+)\.([a-z]{2}(?:-[a-z]{2})?)$/i

export function categoryNamesOf({ members }: ContentFile, { isJekyll }: Folder): string[] {
  const names = [
    ...namesOf(members.category, false),
    ...namesOf(members.categories, isJekyll),
    ...namesOf(members.tag, false),
    ...namesOf(members.tags, isJekyll),
  ]
  // Eleventy puts every post into this collection.
  return [...new Set(names)].filter(name => name !== 'posts' && name !== 'post')
}

export function categoryKey(name: string): string {
  return `category:${name.toLowerCase()}`
}

/** Throws if the text cannot be shown. */
export function postFrom(file: ContentFile, folder: Folder): ForeignPost | Unusable {
  const { path, members, text } = file
  const name = nameOf(path)
  if (name === undefined) {
    return { kind: 'page', label: path, problem: 'It is the start page of a folder.', isWrong: false }
  }
  const notes = notesOf(file)
  const [, suffixed = name, language] = LANGUAGE.exec(name) ?? []
  if (language !== undefined) notes.push(`It is the version in the language ${language}.`)
  const [, day, dated = suffixed] = DATED.exec(suffixed) ?? []
  const times = timesOf(members, day, notes)
  if ('problem' in times) return { kind: 'post', label: path, problem: times.problem, isWrong: true }
  const { date, posted_at } = times
  const content_type = isPage(members, path, date) ? ('page' as const) : ('post' as const)
  const isDraft = isHidden(file, times, folder.nowSeconds, notes)
  const heading = headingOf(text)
  const title = textOf(members, 'title')
  const address = addressOf(file, { name: dated, date, language }, folder)
  const permalink = pathOf(members.permalink) ?? pathOf(members.url)
  return {
    key: `post:${path}`,
    title: title || heading?.title || dated.replaceAll(/[-_]+/g, ' '),
    slug: textOf(members, 'slug') || lastPart(permalink ?? '') || (language === undefined ? dated : ''),
    // A heading that became the title is not shown twice.
    body: /\.html?$/i.test(path)
      ? text.trim()
      : htmlOf(title || !heading ? text : text.slice(heading.length)),
    description: textOf(members, 'description', 'summary', 'excerpt', 'subtitle'),
    content_type,
    image: imageOf(members),
    author: null,
    categories: categoryNamesOf(file, folder).map(categoryKey),
    seo_title: '',
    meta_desc: '',
    is_published: !isDraft,
    posted_at,
    created_at: date,
    updated_at: secondsIn(
      ['lastmod', 'updatedDate', 'updated', 'modified', 'last_modified_at'].map(name => members[name]),
    ),
    address,
    oldAddresses: [
      ...(permalink !== undefined && !isDraft ? [permalink] : []),
      ...[members.aliases, members.alias, members.redirect_from].flatMap(value => namesOf(value, false)),
    ],
    notes,
  }
}

/** The name of the file, or of its folder for a page bundle. Undefined for a start page. */
function nameOf(path: string): string | undefined {
  const [name = '', folder] = path
    .replace(/\.[^./]+$/, '')
    .split('/')
    .reverse()
  if (/^_index(?:\.|$)/.test(name)) return undefined
  const [, language = ''] = /^index(\.[a-z]{2}(?:-[a-z]{2})?)?$/i.exec(name) ?? [undefined]
  const isIndex = /^index(?:\.[a-z]{2}(?:-[a-z]{2})?)?$/i.test(name)
  return isIndex ? folder && `${folder}${language}` : name
}

const TEMPLATE_TAG = /\{\{|\{%/
const ATTRIBUTE_LIST = /^ {0,3}\{:|\{:[ .#:]/m

function notesOf({ path, members, text }: ContentFile): string[] {
  const notes: string[] = []
  if (TEMPLATE_TAG.test(text)) notes.push('It has template tags, which stay as they are.')
  if (ATTRIBUTE_LIST.test(text)) notes.push('It has attribute lists of kramdown, which stay as they are.')
  if (/\.mdx$/i.test(path)) notes.push('Components of MDX stay as they are.')
  const authors = [members.author, members.authors].flatMap(value =>
    namesOf(Object(value).name ?? value, false),
  )
  if (authors.length > 0) {
    notes.push(`Its author ${authors.join(', ')} has no account: name one with --author.`)
  }
  return notes
}

type Times = { date: number | null; posted_at: number | null; expires_at: number | null; isUnclear: boolean }

/** The date of the members, else of the file's name. The time of the file would be that of a checkout. */
function timesOf(members: Members, day: string | undefined, notes: string[]): Times | { problem: string } {
  const { published } = members
  const read = {
    date: foreignTime(
      members.date ?? members.pubDate ?? members.published_at ?? (isDate(published) ? published : undefined),
    ),
    publishDate: foreignTime(members.publishDate),
    expiryDate: foreignTime(members.expiryDate),
  }
  const named = foreignTime(day)
  const wrong = Object.entries({ ...read, 'the name of the file': named }).find(
    ([, time]) => time === 'wrong',
  )
  if (wrong) return { problem: `${wrong[0]}: There is no such day.` }
  for (const [name, time] of Object.entries(read)) {
    if (time === 'unreadable') notes.push(`Its ${name} cannot be read.`)
  }
  const seconds = (time: ForeignTime) => (typeof time === 'object' ? time.seconds : null)
  const publish = seconds(read.publishDate)
  const date = seconds(read.date) ?? seconds(named) ?? publish
  return {
    date,
    posted_at: publish !== null && date !== null ? Math.max(publish, date) : date,
    expires_at: seconds(read.expiryDate),
    isUnclear: read.publishDate === 'unreadable' || read.expiryDate === 'unreadable',
  }
}

/** Some write the date here, others whether it is published. */
function isDate(published: unknown): boolean {
  return isSet(published) === 'unclear' && typeof foreignTime(published) === 'object'
}

function secondsIn(values: unknown[]): number | null {
  const time = values.map(foreignTime).find(time => typeof time === 'object')
  return typeof time === 'object' ? time.seconds : null
}

/** When in doubt, a draft. */
function isHidden(
  { path, members }: ContentFile,
  times: Times,
  nowSeconds: number,
  notes: string[],
): boolean {
  if (DRAFT_FOLDER.test(path)) return true
  const published = isDate(members.published) || isSet(members.published)
  const draft = isSet(members.draft ?? members.isDraft)
  if (draft === true || published === false) return true
  const build: Members = Object(members.build ?? members._build)
  const status = textOf(members, 'status').toLowerCase()
  const reasons = [
    [draft === 'unclear', 'Its member draft is not clear'],
    [published === 'unclear', 'Its member published is not clear'],
    [times.isUnclear, 'When it is shown is not clear'],
    [times.expires_at !== null && times.expires_at <= nowSeconds, 'It has expired'],
    [members.permalink === false || isSet(members.permalink) === false, 'It has no address'],
    [['never', 'link', 'false'].includes(String(build.render)), 'It is not rendered'],
    [isSet(members.headless) === true, 'It has no page'],
    [isSet(members.private ?? members.hidden) === true, 'It is hidden'],
    [status !== '' && !/^publi/.test(status), `Its status is ${status}`],
  ] as const
  const known = reasons.filter(([holds]) => holds).map(([, reason]) => reason)
  for (const reason of known) notes.push(`${reason}, so it is a draft.`)
  return known.length > 0
}

function isPage(members: Members, path: string, date: number | null): boolean {
  const kind = textOf(members, 'type', 'layout')
  if (/^pages?$/i.test(kind)) return true
  return date === null && !/^posts?$/i.test(kind) && !POST_FOLDER.test(path)
}

/** A first line `# Title`. */
function headingOf(text: string): { title: string; length: number } | undefined {
  const start = text.length - text.trimStart().length
  const end = text.indexOf('\n', start)
  const line = text.slice(start, end < 0 ? text.length : end)
  if (!/^#\s/.test(line)) return undefined
  const title = line
    .slice(1)
    .trim()
    .split(/\s+/)
    .join(' ')
    .replace(/ #{1,6}$/, '')
  return title === '' ? undefined : { title, length: start + line.length }
}

/** Of a permalink without placeholders. */
function pathOf(permalink: unknown): string | undefined {
  const text = typeof permalink === 'string' ? permalink.trim().replace(/^https?:\/\/[^/]*/, '') : ''
  if (text === '' || /[:{]/.test(text)) return undefined
  const path = text.startsWith('/') ? text : `/${text}`
  return path.replace(/(?<=\/)index\.html$/, '')
}

function lastPart(path: string): string {
  const parts = path.split('/').filter(part => part !== '')
  return (parts.at(-1) ?? '').replace(/\.html?$/, '')
}

type Place = { name: string; date: number | null; language: string | undefined }

/** The page's own address, by the rule of its generator unless it names one. */
function addressOf(
  { path, members }: ContentFile,
  place: Place,
  { sourceUrl, isJekyll }: Folder,
): string | undefined {
  if (sourceUrl === undefined) return undefined
  const base = sourceUrl.replace(/\/+$/, '')
  const permalink = pathOf(members.permalink) ?? pathOf(members.url)
  if (permalink !== undefined) return `${base}${permalink}`
  const folders = path.split('/').slice(0, -1)
  if (isJekyll && folders.some(folder => folder.startsWith('_')) && place.date !== null) {
    const [day] = new Date(place.date * 1000).toISOString().split('T')
    return `${base}/${day?.replaceAll('-', '/')}/${place.name}.html`
  }
  const shown = folders.filter((folder, n) => !(n < 2 && /^(?:src|content)$/.test(folder)))
  const isIndex = /(?:^|\/)index(?:\.[a-z-]+)?\.\w+$/i.test(path)
  const prefix = place.language === undefined ? '' : `/${place.language.toLowerCase()}`
  const parts = isIndex ? shown : [...shown, place.name]
  return `${base}${prefix}${parts.map(part => `/${encodeURIComponent(part)}`).join('')}/`
}

const IMAGE_MEMBERS = [
  'image',
  'featured_image',
  'heroImage',
  'cover',
  'thumbnail',
  'feature_image',
  'images',
]

function imageOf(members: Members): string {
  for (const name of IMAGE_MEMBERS) {
    const value = members[name]
    const [first] = Array.isArray(value) ? value : [value]
    const text = typeof first === 'string' ? first : textOf(Object(first), 'src', 'url', 'image', 'path')
    if (text !== '') return text
  }
  return ''
}
