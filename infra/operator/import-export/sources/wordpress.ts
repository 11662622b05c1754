// WordPress' export (WXR): an RSS file with authors, terms, and posts with their comments.
import { OperatorError } from '../../operator-error.ts'
import { LARGEST_ID } from '../format.ts'
import type { Item, Source, Unusable } from '../item.ts'
import { openSlugs, postItem } from './foreign.ts'
import { categoryItem, type ForeignCategory, userItem } from './foreign-items.ts'
import { readPieces } from './lines.ts'
import { commentItems } from './wordpress-comments.ts'
import { foreignPost, postTypeOf, termKey } from './wordpress-posts.ts'
import { childrenOf, type Element, readChildren, textIn } from './xml.ts'

type Channel = { blogUrl: string; authors: Element[]; terms: Element[]; items: Element[] }

/** Throws OperatorError if the file is no export of WordPress. */
export async function openWordPress(file: string): Promise<Source> {
  const channel = await readChannel(file)
  const { items, authors, terms, blogUrl } = channel
  const comments = items.flatMap(item => childrenOf(item, 'wp:comment'))
  return {
    name: `wordpress:${blogUrl}`,
    label: 'an export of WordPress',
    lastIds: {
      post: largest(items.filter(isPostOrPage).map(item => textIn(item, 'wp:post_id'))),
      comment: largest(comments.map(comment => textIn(comment, 'wp:comment_id'))),
    },
    count: items.length + authors.length + terms.length + comments.length,
    items: async function* () {
      yield* itemsOf(channel)
    },
  }
}

async function readChannel(file: string): Promise<Channel> {
  const channel: Channel = { blogUrl: '', authors: [], terms: [], items: [] }
  let isExport = false
  await readChildren(readPieces(file), 'channel', element => {
    if (element.name === 'wp:wxr_version') isExport = true
    if (element.name === 'wp:base_blog_url') channel.blogUrl = element.text.trim()
    if (element.name === 'wp:author') channel.authors.push(element)
    if (element.name === 'wp:category' || element.name === 'wp:tag') channel.terms.push(element)
    if (element.name === 'item') channel.items.push(element)
  })
  if (!isExport) throw new OperatorError(`${file} is no export of WordPress: it has no wp:wxr_version.`)
  return channel
}

function isPostOrPage(item: Element): boolean {
  return postTypeOf(item) !== undefined
}

function largest(ids: string[]): number {
  return ids.map(Number).reduce((most, id) => (id <= LARGEST_ID ? Math.max(most, id) : most), 0)
}

function* itemsOf({ authors, terms, items }: Channel): Generator<Item | Unusable> {
  const logins = new Map<string, string>()
  for (const author of authors) {
    const login = textIn(author, 'wp:author_login')
    logins.set(textIn(author, 'wp:author_id'), login)
    yield userItem({
      key: `user:${login}`,
      name: textIn(author, 'wp:author_display_name') || login,
      email: textIn(author, 'wp:author_email'),
      bio: null,
      avatar: null,
      created_at: null,
    })
  }
  const slugOfTerm = openSlugs()
  for (const term of termsOf(terms, items)) yield categoryItem(term, slugOfTerm)
  const images = new Map(
    items.map(item => [textIn(item, 'wp:post_id'), textIn(item, 'wp:attachment_url').trim()]),
  )
  const slugOf = openSlugs()
  for (const item of items) {
    const post = foreignPost(item, images)
    yield 'problem' in post ? post : postItem(post, slugOf)
  }
  for (const item of items) if (isPostOrPage(item)) yield* commentItems(item, logins)
}

/** Categories and tags of the channel, and those that only posts name. */
function termsOf(terms: Element[], items: Element[]): ForeignCategory[] {
  const all = new Map<string, ForeignCategory>()
  const add = (nicename: string, name: string, description: string) => {
    const key = termKey(nicename)
    if (nicename !== '' && !all.has(key)) all.set(key, { key, name, slug: nicename, description })
  }
  for (const term of terms) {
    const kind = term.name === 'wp:tag' ? 'tag' : 'category'
    const nicename = textIn(term, kind === 'tag' ? 'wp:tag_slug' : 'wp:category_nicename')
    const name = textIn(term, kind === 'tag' ? 'wp:tag_name' : 'wp:cat_name')
    add(nicename, name, textIn(term, `wp:${kind}_description`))
  }
  for (const item of items.filter(isPostOrPage)) {
    for (const { attributes, text } of childrenOf(item, 'category')) add(attributes.nicename ?? '', text, '')
  }
  return [...all.values()]
}
