// A post or page from one file: what the generators have in common, by the first member that is set.
import { normalize } from '../../../../shared/http/normalize.ts'
import { isoTime } from '../../../../shared/http/time.ts'
import type { ForeignCategory, ForeignPost } from './foreign.ts'
import { isSet, type Members, namesOf, textOf } from './front-matter.ts'
import { Skip } from './source.ts'
import { htmlOf } from './texts.ts'
import { type ForeignTime, foreignTime, knownTime, secondsOf } from './time.ts'

/** `path`: in the folder, with slashes. */
export type ContentFile = { path: string; members: Members; text: string; isDoubtful?: boolean }
export type Folder = { sourceUrl: string | undefined; isJekyll: boolean; nowSeconds: number }

const DATED = /^(\d{4}-\d\d?-\d\d?)-(.+)$/
const POST_FOLDER = /(?:^|\/)(?:_?posts?|_drafts|blog|articles|news)\//i
const PAGE_FOLDER = /(?:^|\/)pages?\//i
/** Jekyll and Astro do not show files whose names begin with `_`. */
const DRAFT_PATH = /(?:^|\/)_?drafts\/|(?:^|\/)_[^/]+$/i
/** Two letters, a script and a region: other suffixes are words. */
const LANGUAGE = /^(.+)\.([a-z]{2}(?:-(?:hans|hant|latn|cyrl|arab))?(?:-[a-z]{2})?)$/i

/** Without `js`, which is none. */
const LANGUAGES = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

function categoriesOf(members: Members, isJekyll: boolean): ForeignCategory[] {
  const names = [
    ...namesOf(members.category),
    ...namesOf(members.categories, isJekyll),
    ...namesOf(members.tag),
    ...namesOf(members.tags, isJekyll),
  ]
  // Eleventy puts every post into this collection.
  const others = names.filter(name => name !== 'posts' && name !== 'post')
  return others.map(name => ({ key: `category:${normalize(name, 'NFC').toLowerCase()}`, name }))
}

/** Throws Skip for the start page of a folder, and if it cannot be shown or has a day that is none. */
export function postFrom(file: ContentFile, folder: Folder): ForeignPost {
  const { path, members, text } = file
  const place = placeOf(path)
  const notes = notesOf(file, place)
  const times = timesOf(members, place.day, notes)
  const isDraft = isHidden(file, times, folder.nowSeconds, notes)
  const heading = headingOf(text)
  const title = textOf(members, 'title')
  const permalink =
    pathOf(members.permalink) ?? (/^https?:/.test(textOf(members, 'url')) ? undefined : pathOf(members.url))
  return {
    key: `post:${path}`,
    title: title || heading?.title || place.name.replaceAll(/[-_]+/g, ' '),
    slug: textOf(members, 'slug') || lastPart(permalink ?? '') || (place.language ? '' : place.name),
    // A heading that became the title is not shown twice.
    body: /\.html?$/i.test(path) ? text.trim() : htmlOf(title || !heading ? text : heading.rest),
    description: textOf(members, 'description', 'summary', 'excerpt', 'subtitle'),
    content_type: isPage(members, path, times.date) ? 'page' : 'post',
    image: imageOf(members),
    categories: categoriesOf(members, folder.isJekyll),
    is_published: !isDraft,
    posted_at: times.posted_at,
    created_at: times.date,
    updated_at: updatedAt(members),
    address: addressOf(path, permalink, { ...place, date: times.date }, folder),
    oldAddresses: [
      ...(permalink !== undefined && !isDraft ? [permalink] : []),
      ...namesOf([members.aliases, members.alias, members.redirect_from].flat()),
    ],
    notes,
  }
}

type Place = ReturnType<typeof placeOf>

/** From the name of the file, or of its folder for a page bundle. Throws Skip. */
function placeOf(path: string) {
  const [file = '', folder] = path
    .replace(/\.[^./]+$/, '')
    .split('/')
    .reverse()
  const [, start, suffix] = LANGUAGE.exec(file) ?? []
  const language = suffix && LANGUAGES.of(suffix) ? suffix : undefined
  const base = language ? (start ?? file) : file
  const isIndex = /^index$/i.test(base)
  const named = isIndex ? folder : base
  if (base === '_index' || named === undefined) throw new Skip('It is the start page of a folder.')
  const [, day, name = named] = DATED.exec(named) ?? []
  return { name, day, language, isIndex }
}

const KEPT_AS_TEXT: [RegExp, string][] = [
  [/\{\{|\{%/, 'template tags'],
  [/^ {0,3}\{:|\{:[ .#:]/m, 'attribute lists of kramdown'],
  [/^ {0,3}:::+ ?[a-z]/im, 'directives (:::)'],
]

function notesOf({ path, members, text }: ContentFile, { language }: Place): string[] {
  const kept = KEPT_AS_TEXT.filter(([pattern]) => pattern.test(text)).map(([, what]) => what)
  const notes = kept.map(what => `It has ${what}, which stay as they are.`)
  if (language) notes.push(`It is the version in the language ${language}.`)
  if (/\.mdx$/i.test(path)) notes.push('Components of MDX stay as they are.')
  for (const name of ['title', 'slug', 'description', 'summary', 'excerpt']) {
    if (isNoText(members[name])) notes.push(`Its ${name} is no text.`)
  }
  for (const name of ['category', 'categories', 'tag', 'tags']) {
    if ([members[name]].flat().some(isNoText)) notes.push(`Some of its ${name} are no names.`)
  }
  const authors = [members.author, members.authors].flatMap(value => namesOf(Object(value).name ?? value))
  if (authors.length > 0) {
    notes.push(`Its author ${authors.join(', ')} has no account: name one with --author.`)
  }
  return notes
}

function isNoText(value: unknown): boolean {
  return typeof (value ?? '') === 'object' || typeof value === 'boolean'
}

type Times = ReturnType<typeof timesOf>

/** The date of the members, else of the file's name. The time of the file would be that of a checkout. */
function timesOf(members: Members, day: string | undefined, notes: string[]) {
  const read = (name: string, value: unknown): ForeignTime => {
    const time = foreignTime(value)
    if (time === 'wrong') throw new Error(`${name}: There is no such day.`)
    if (time === 'unreadable') notes.push(`Its ${name} cannot be read.`)
    return time
  }
  const date = read('date', members.date)
  const shown = SHOWN.filter(name => name !== 'published' || isDate(members.published))
  const shownAt = shown.map(name => read(name, members[name]))
  const expiry = EXPIRES.map(name => read(name, members[name]))
  const named = read('the name of the file', day)
  const [publish = null] = shownAt.flatMap(time => knownTime(time) ?? []).toSorted((a, b) => b - a)
  const first = knownTime(date) ?? knownTime(named) ?? publish
  return {
    date: first,
    posted_at: first === null ? null : Math.max(first, publish ?? first),
    expires_at: expiry.map(knownTime).find(time => time !== null) ?? null,
    isUnclear: [...shownAt, ...expiry].includes('unreadable'),
  }
}

/** From when on, and until when it is shown: with Hugo's other names. */
const SHOWN = 'publishdate publish_date pubdate published_at published'.split(' ')
const EXPIRES = 'expirydate expiry_date unpublishdate'.split(' ')

/** Some write the date here, others whether it is published. */
function isDate(published: unknown): boolean {
  return isSet(published) === 'unclear' && secondsOf(published) !== null
}

function updatedAt(members: Members): number | null {
  const names = ['lastmod', 'updateddate', 'updated', 'modified', 'last_modified_at']
  return names.map(name => secondsOf(members[name])).find(seconds => seconds !== null) ?? null
}

const HIDING = 'private hidden unlisted eleventyexcludefromcollections'.split(' ')

/** When in doubt, a draft. */
function isHidden(
  { path, members, isDoubtful = false }: ContentFile,
  times: Times,
  nowSeconds: number,
  notes: string[],
): boolean {
  if (DRAFT_PATH.test(path)) return true
  const published = isDate(members.published) || isSet(members.published)
  const draft = isSet(members.draft ?? members.isdraft)
  if (draft === true || published === false || isSet(members.publish) === false) return true
  const build: Members = Object(members.build ?? members._build)
  const status = String(members.status ?? '').toLowerCase()
  const visibility = String(members.visibility ?? 'public').toLowerCase()
  const reasons = [
    [isDoubtful, 'Its first lines look like front matter'],
    [draft === 'unclear', 'Its member draft is not clear'],
    [published === 'unclear', 'Its member published is not clear'],
    [times.isUnclear, 'When it is shown is not clear'],
    [times.expires_at !== null && times.expires_at <= nowSeconds, 'It has expired'],
    [
      isSet(members.permalink) === false || typeof (members.permalink ?? '') === 'object',
      'It has no address',
    ],
    [['never', 'link', 'false'].includes(String(build.render)), 'It is not rendered'],
    [isSet(members.headless) === true, 'It has no page'],
    [['never', 'local', 'false'].includes(String(build.list)), 'It is in no list'],
    [HIDING.some(name => isSet(members[name]) === true), 'It is hidden'],
    [isSet(members.password) !== undefined, 'It has a password'],
    [!/^(?:publi.*)?$/.test(status), `Its status is ${status}`],
    [visibility !== 'public', `Its visibility is ${visibility}`],
  ] as const
  const known = reasons.filter(([holds]) => holds).map(([, reason]) => reason)
  for (const reason of known) notes.push(`${reason}, so it is a draft.`)
  if (times.expires_at !== null && known.length === 0) {
    notes.push(`It would expire on ${isoTime(times.expires_at)}, which has no place here.`)
  }
  return known.length > 0
}

function isPage(members: Members, path: string, date: number | null): boolean {
  const kind = textOf(members, 'type', 'layout')
  if (/^(?:pages?|posts?)$/i.test(kind)) return /^page/i.test(kind)
  if (POST_FOLDER.test(path)) return false
  return date === null || PAGE_FOLDER.test(path)
}

/** A first line `# Title`, and what follows it. */
function headingOf(text: string): { title: string; rest: string } | undefined {
  const whole = text.trimStart()
  const [line = ''] = whole.split('\n', 1)
  if (!/^#\s/.test(line)) return undefined
  const words = line.slice(1).trim().split(/\s+/).join(' ')
  const title = words.replace(/ #{1,6}$/, '')
  return title === '' ? undefined : { title, rest: whole.slice(line.length) }
}

/** The path of a permalink without placeholders. */
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

/** The page's own address, by the rule of its generator unless it names one. */
function addressOf(
  path: string,
  permalink: string | undefined,
  { name, language, isIndex, date }: Place & { date: number | null },
  { sourceUrl, isJekyll }: Folder,
): string | undefined {
  if (sourceUrl === undefined) return undefined
  const base = sourceUrl.replace(/\/+$/, '')
  if (permalink !== undefined) return `${base}${permalink}`
  const folders = path.split('/').slice(0, -1)
  if (isJekyll && date !== null && folders.some(folder => folder.startsWith('_'))) {
    const [day = ''] = new Date(date * 1000).toISOString().split('T')
    return `${base}/${day.replaceAll('-', '/')}/${name}.html`
  }
  const shown = folders.filter((folder, n) => !(n < 2 && /^(?:src|content)$/.test(folder)))
  const parts = [...(language ? [language.toLowerCase()] : []), ...shown, ...(isIndex ? [] : [name])]
  return `${base}${parts.map(part => `/${encodeURIComponent(part)}`).join('')}/`
}

const IMAGE_MEMBERS =
  'image featured_image heroimage cover coverimage thumbnail feature_image images ogimage'.split(' ')

/** A text, an object with one, or the first of several. */
function imageOf(members: Members): string {
  const values = IMAGE_MEMBERS.map(name => [members[name]].flat()[0])
  const texts = values.map(value =>
    typeof value === 'string' ? value : textOf(Object(value), 'src', 'url', 'image', 'path'),
  )
  return texts.find(text => text !== '') ?? ''
}
