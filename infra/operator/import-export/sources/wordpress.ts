// WordPress' export (WXR): RSS files with authors, terms, and posts with their comments.
import { textOf } from '../../../../shared/posts/html-text.ts'
import { OperatorError } from '../../command.ts'
import { readText } from './files.ts'
import { type ForeignPost, foreignSource, noRecords, type Records } from './foreign.ts'
import { cutOff, DOUBLED, Skip, type Source, type SourceOptions, unusable } from './source.ts'
import { plainText } from './texts.ts'
import { knownTime } from './time.ts'
import { categoryFrom, foreignPost, kindIn, nameOf, type PostContext, TAXONOMIES } from './wordpress-post.ts'
import { childrenOf, type Element, readChannel, textIn, timeIn } from './wordpress-xml.ts'

/** Throws OperatorError if a file is no export of WordPress, or was cut off. */
export async function openWordPress(files: string[], options: SourceOptions): Promise<Source> {
  const { partial = false, sourceUrl } = options
  const children = (await Promise.all(files.map(file => readExport(file, partial)))).flat()
  const [blogUrl, items] = [textIn({ children }, 'wp:base_blog_url'), childrenOf({ children }, 'item')]
  const records = noRecords()
  const logins = addAuthors(childrenOf({ children }, 'wp:author'), records)
  const taxonomies = [...TAXONOMIES, ...(options.taxonomies ?? [])]
  addTerms(children, records, taxonomies)
  const context: PostContext = {
    base: (sourceUrl ?? blogUrl).replace(/\/+$/, ''),
    isMoved: sourceUrl !== undefined,
    taxonomies,
    items: new Map(items.map(item => [textIn(item, 'wp:post_id'), item])),
  }
  const keys = new Set<string>()
  for (const [n, item] of items.entries()) {
    try {
      requireReadable(item)
      const post = foreignPost(item, n, context)
      if (keys.has(post.key)) throw new Skip(DOUBLED)
      keys.add(post.key)
      records.posts.push(post)
      addComments(item, post, records, logins)
    } catch (error) {
      const line = unusable(kindIn(item), nameOf(item), error)
      const comments = childrenOf(item, 'wp:comment').length
      if (comments > 0) line.reason += ` Its ${comments} comments stay out with it.`
      records.unusable.push(line)
    }
  }
  return foreignSource(`wordpress:${blogUrl}`, 'an export of WordPress', records, options.nowSeconds)
}

async function readExport(file: string, isPartial: boolean): Promise<Element[]> {
  const { text, brokenAt } = await readText(file)
  const { children, isWhole } = readChannel(text, file)
  if (childrenOf({ children }, 'wp:wxr_version').length === 0) {
    throw new OperatorError(`${file} is no export of WordPress: it has no wp:wxr_version.`)
  }
  if (!isWhole && !isPartial) {
    const last = children.findLast(({ name, fault }) => name === 'item' && !fault)
    throw cutOff(file, last ? `${kindIn(last)} ${nameOf(last)}` : 'none')
  }
  for (const child of brokenAt === undefined ? [] : children) {
    if (JSON.stringify(child).includes('\ufffd')) child.fault ??= BAD_BYTES
  }
  return children
}

const BAD_BYTES = 'It has bytes that are not in the encoding of the file.'
/** Of an item: those of plain text. */
const TEXTS = ['title', 'content:encoded', 'excerpt:encoded']

function requireReadable({ children, fault }: Element): void {
  const split = children.find(({ name, children }) => TEXTS.includes(name) && children.length > 0)
  const problem = fault ?? (split && `Its ${split.name} has elements of XML, and no text alone.`)
  if (problem !== undefined) throw new Error(problem)
}

/** Returns the keys of the authors by their ids. Each file of an export has them all. */
function addAuthors(authors: Element[], { users }: Records): Map<string, string> {
  const logins = new Map<string, string>()
  for (const author of new Map(authors.map(author => [JSON.stringify(author), author])).values()) {
    const login = textIn(author, 'wp:author_login')
    const key = `user:${login}`
    logins.set(textIn(author, 'wp:author_id'), key)
    const name = textOf(textIn(author, 'wp:author_display_name')) || login
    users.push({ key, name, email: textIn(author, 'wp:author_email') })
  }
  return logins
}

/** The elements of terms, with their taxonomies; `wp:term` names its own. */
const TERMS = new Map([
  ['wp:category', 'category'],
  ['wp:tag', 'post_tag'],
  ['wp:term', ''],
])

function addTerms(elements: Element[], { categories }: Records, taxonomies: string[]): void {
  const known = new Set<string>()
  for (const term of elements.filter(({ name }) => TERMS.has(name))) {
    // Such as `wp:cat_name`, `wp:tag_name` and `wp:term_name`.
    const member = (ending: RegExp) => term.children.find(({ name }) => ending.test(name))?.text.trim() ?? ''
    const [slug, name, parent] = [member(/_(?:nicename|slug)$/), member(/_name$/), member(/_parent$/)]
    const taxonomy = TERMS.get(term.name) || textIn(term, 'wp:term_taxonomy')
    const category = categoryFrom(taxonomy, slug, name)
    if (slug + name === '' || !taxonomies.includes(taxonomy) || known.has(category.key)) continue
    known.add(category.key)
    const notes = parent === '' ? [] : [`It was below ${parent}, and categories have no parents here.`]
    categories.push({ ...category, description: plainText(member(/_description$/)), notes })
  }
}

/** Approved comments of readers. */
function addComments(item: Element, post: ForeignPost, records: Records, logins: Map<string, string>): void {
  for (const [n, comment] of childrenOf(item, 'wp:comment').entries()) {
    const id = Number(textIn(comment, 'wp:comment_id'))
    const body = plainText(textIn(comment, 'wp:comment_content'))
    const reason = post.content_type === 'page' ? 'Pages take no comments.' : problemOf(comment, body)
    if (reason !== undefined) {
      records.unusable.push({ outcome: 'skipped', kind: 'comment', label: `comment ${id}`, reason })
      continue
    }
    const parent = Number(textIn(comment, 'wp:comment_parent'))
    records.comments.push({
      key: id > 0 ? `comment:${id}` : `comment:${post.key} ${n}`,
      id: id > 0 ? id : undefined,
      post: post.key,
      parent: parent > 0 ? `comment:${parent}` : null,
      user: logins.get(textIn(comment, 'wp:comment_user_id')) ?? null,
      name: textOf(textIn(comment, 'wp:comment_author')),
      email: textIn(comment, 'wp:comment_author_email'),
      body,
      created_at: knownTime(timeIn(comment, 'wp:comment_date')),
    })
  }
}

function problemOf(comment: Element, body: string): string | undefined {
  const type = textIn(comment, 'wp:comment_type')
  if (type !== '' && type !== 'comment') return `It is a ${type}, no comment of a reader.`
  if (textIn(comment, 'wp:comment_approved') !== '1') return 'It is not approved.'
  return body === '' ? 'It has no text.' : undefined
}
