// WordPress' export (WXR): RSS files with authors, terms, and posts with their comments.
import { textOf } from '../../../../shared/posts/html-text.ts'
import { OperatorError } from '../../command.ts'
import { readText } from './files.ts'
import { type ForeignPost, foreignSource, noRecords, type Records } from './foreign.ts'
import { leftOut, messageOf, type Source, type SourceOptions } from './source.ts'
import { plainText } from './texts.ts'
import { knownTime } from './time.ts'
import { categoryFrom, foreignPost, nameOf, type PostContext, TAXONOMIES } from './wordpress-post.ts'
import { childrenOf, type Element, readChildren, textIn, timeIn } from './wordpress-xml.ts'

/** What all files contain. `broken`: why items cannot be read. */
type Site = {
  blogUrl: string
  authors: Element[]
  terms: Element[]
  items: Element[]
  broken: Map<Element, string>
}

/** Throws OperatorError if a file is no export of WordPress, or was cut off. */
export async function openWordPress(files: string[], options: SourceOptions): Promise<Source> {
  const site: Site = { blogUrl: '', authors: [], terms: [], items: [], broken: new Map() }
  for (const file of files) await readExport(file, options.partial ?? false, site)
  const { blogUrl, items, broken } = site
  const records = noRecords()
  const logins = addAuthors(site, records)
  const taxonomies = [...TAXONOMIES, ...(options.taxonomies ?? [])]
  addTerms(site, records, taxonomies)
  const byId = (name: string, all = items) =>
    new Map(all.map(item => [textIn(item, 'wp:post_id'), textIn(item, name)]))
  const blocks = items.filter(item => textIn(item, 'wp:post_type') === 'wp_block')
  const context: PostContext = {
    base: (options.sourceUrl ?? blogUrl).replace(/\/+$/, ''),
    isMoved: options.sourceUrl !== undefined,
    taxonomies,
    images: byId('wp:attachment_url'),
    blocks: byId('content:encoded', blocks),
  }
  const keys = new Set<string>()
  for (const [n, item] of items.entries()) {
    const post = postOf(item, n, context, broken.get(item))
    if ('problem' in post) {
      const comments = childrenOf(item, 'wp:comment').length
      const problem = `${post.problem}${comments > 0 ? ` Its ${comments} comments stay out with it.` : ''}`
      records.unusable.push({ ...post, label: nameOf(item), problem })
      continue
    }
    records.posts.push(post)
    addComments(item, post, records, logins, keys.has(post.key))
    keys.add(post.key)
  }
  const label = files.length === 1 ? 'an export' : `${files.length} files of an export`
  return foreignSource(`wordpress:${blogUrl}`, `${label} of WordPress`, records, options.nowSeconds)
}

function postOf(item: Element, number: number, context: PostContext, fault: string | undefined) {
  const kind = textIn(item, 'wp:post_type') || 'item'
  try {
    if (fault !== undefined) return { kind, problem: fault, isWrong: true }
    const post = foreignPost(item, number, context)
    return 'problem' in post ? { ...post, isWrong: false } : post
  } catch (error) {
    return { kind, problem: messageOf(error), isWrong: true }
  }
}

/** Of an item: those of plain text. */
const TEXTS = ['title', 'content:encoded', 'excerpt:encoded']

async function readExport(file: string, isPartial: boolean, site: Site): Promise<void> {
  const { text, brokenAt } = await readText(file)
  let isExport = false
  let isWhole = false
  let last: Element | undefined
  try {
    isWhole = readChildren(text, 'channel', (element, isBroken) => {
      if (element.name === 'wp:wxr_version') isExport = true
      if (element.name === 'wp:base_blog_url') site.blogUrl ||= element.text.trim()
      if (element.name === 'wp:author') site.authors.push(element)
      if (Object.hasOwn(TERM_MEMBERS, element.name)) site.terms.push(element)
      if (element.name !== 'item') return
      site.items.push(element)
      if (!isBroken) last = element
      const split = element.children.find(({ name, children }) => TEXTS.includes(name) && children.length > 0)
      const fault = isBroken
        ? 'It has an element of XML without an end.'
        : split
          ? `Its ${split.name} has elements of XML, and no text alone.`
          : brokenAt !== undefined && hasBrokenBytes(element)
            ? 'It has bytes that are not in the encoding of the file.'
            : undefined
      if (fault) site.broken.set(element, fault)
    })
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${messageOf(error)}`)
  }
  if (!isExport) throw new OperatorError(`${file} is no export of WordPress: it has no wp:wxr_version.`)
  if (isWhole || isPartial) return
  const name = last ? `${textIn(last, 'wp:post_type')} ${nameOf(last)}` : 'none'
  throw new OperatorError(
    `${file} was cut off. Its last whole record is ${name}. Nothing was imported. Export again, or add --partial to import what it has.`,
  )
}

/** Whether it has a character in place of bytes that could not be read. */
function hasBrokenBytes({ text, children }: Element): boolean {
  return text.includes('\ufffd') || children.some(hasBrokenBytes)
}

/** Returns the keys of the authors by their ids. Each file of an export has them all. */
function addAuthors({ authors }: Site, { users }: Records): Map<string, string> {
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

/** The taxonomy, and the names of the elements with a term's slug, name, description and parent. */
const TERM_MEMBERS: Record<string, string[]> = {
  'wp:category': [
    'category',
    'wp:category_nicename',
    'wp:cat_name',
    'wp:category_description',
    'wp:category_parent',
  ],
  'wp:tag': ['post_tag', 'wp:tag_slug', 'wp:tag_name', 'wp:tag_description'],
  'wp:term': ['', 'wp:term_slug', 'wp:term_name', 'wp:term_description', 'wp:term_parent'],
}

function addTerms({ terms }: Site, { categories }: Records, taxonomies: string[]): void {
  const known = new Set<string>()
  for (const term of terms) {
    const [of = '', ...members] = TERM_MEMBERS[term.name] ?? []
    const [slug = '', name = '', description = '', parent = ''] = members.map(member => textIn(term, member))
    const taxonomy = of || textIn(term, 'wp:term_taxonomy')
    const category = categoryFrom(taxonomy, slug, name)
    if (slug + name === '' || !taxonomies.includes(taxonomy) || known.has(category.key)) continue
    known.add(category.key)
    const notes = parent === '' ? [] : [`It was below ${parent}, and categories have no parents here.`]
    categories.push({ ...category, description: plainText(description), notes })
  }
}

/** Approved comments of readers. `isSecond`: another post has the id of theirs. */
function addComments(
  item: Element,
  post: ForeignPost,
  records: Records,
  logins: Map<string, string>,
  isSecond: boolean,
): void {
  for (const [n, comment] of childrenOf(item, 'wp:comment').entries()) {
    const id = Number(textIn(comment, 'wp:comment_id'))
    const body = plainText(textIn(comment, 'wp:comment_content'))
    const ofPost = isSecond ? 'The id of its post is that of an earlier one.' : undefined
    const ofPage = post.content_type === 'page' ? 'Pages take no comments.' : undefined
    const problem = ofPost ?? ofPage ?? problemOf(comment, body)
    if (problem !== undefined) {
      records.unusable.push(leftOut('comment', `comment ${id}`, problem))
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
