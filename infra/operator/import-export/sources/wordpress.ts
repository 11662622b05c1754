// WordPress' export (WXR): RSS files with authors, terms, and posts with their comments.

import { codePoints } from '../../../../shared/http/text.ts'
import { OperatorError } from '../../command.ts'
import { type Collector, openCollector } from './foreign.ts'
import { plainLine, plainText } from './html.ts'
import type { SourceOptions } from './open-source.ts'
import type { Source } from './source.ts'
import { decode, readBytes } from './text-file.ts'
import { secondsOf } from './time.ts'
import {
  foreignPost,
  isBroken,
  nameOf,
  type PostContext,
  postTypeOf,
  TAXONOMIES,
  termKey,
  termsOf,
} from './wordpress-post.ts'
import { childrenOf, type Element, readChildren, textIn } from './xml.ts'

type Channel = { blogUrl: string; authors: Element[]; terms: Element[]; items: Element[]; isBroken: boolean }

/** Throws OperatorError if a file is no export of WordPress, or was cut off. */
export async function openWordPress(files: string[], options: SourceOptions): Promise<Source> {
  const channels: Channel[] = []
  for (const file of files) channels.push(await readChannel(file, options.partial ?? false))
  const collector = openCollector(options.nowSeconds)
  collect(channels, collector, options)
  return {
    name: `wordpress:${channels[0]?.blogUrl}`,
    label: files.length === 1 ? 'an export of WordPress' : `${files.length} files of an export of WordPress`,
    count: collector.count(),
    entries: collector.entries,
  }
}

const DECLARATION = /^\s*<\?xml[^>]*\sencoding=["']([\w.:-]+)["']/
const START_LENGTH = 200

async function readChannel(file: string, isPartial: boolean): Promise<Channel> {
  const bytes = await readBytes(file)
  const [, encoding = 'UTF-8'] = DECLARATION.exec(bytes.subarray(0, START_LENGTH).toString('latin1')) ?? []
  const { text, brokenAt } = decode(bytes, encoding)
  const channel: Channel = {
    blogUrl: '',
    authors: [],
    terms: [],
    items: [],
    isBroken: brokenAt !== undefined,
  }
  let isExport = false
  let isWhole = false
  try {
    isWhole = readChildren(text, 'channel', element => {
      if (element.name === 'wp:wxr_version') isExport = true
      if (element.name === 'wp:base_blog_url') channel.blogUrl = element.text.trim()
      if (element.name === 'wp:author') channel.authors.push(element)
      if (['wp:category', 'wp:tag', 'wp:term'].includes(element.name)) channel.terms.push(element)
      if (element.name === 'item') channel.items.push(element)
    })
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
  if (!isExport) throw new OperatorError(`${file} is no export of WordPress: it has no wp:wxr_version.`)
  if (isWhole || isPartial) return channel
  const last = channel.items.at(-1)
  throw new OperatorError(
    `${file} was cut off. Its last whole record is ${last ? `${textIn(last, 'wp:post_type')} ${nameOf(last)}` : 'none'}. Nothing was imported. Export again, or add --partial to import what it has.`,
  )
}

function collect(
  channels: Channel[],
  collector: Collector,
  { sourceUrl, taxonomies = [] }: SourceOptions,
): void {
  const items = channels.flatMap(channel => channel.items)
  const wanted = [...TAXONOMIES, ...taxonomies]
  const logins = addAuthors(channels, collector)
  addTerms(channels, collector, wanted)
  const context: PostContext = {
    base: (sourceUrl ?? channels[0]?.blogUrl ?? '').replace(/\/+$/, ''),
    isMoved: sourceUrl !== undefined,
    taxonomies: wanted,
    images: new Map(
      items.map(item => [textIn(item, 'wp:post_id'), textIn(item, 'wp:attachment_url').trim()]),
    ),
    blocks: new Map(
      items
        .filter(item => textIn(item, 'wp:post_type') === 'wp_block')
        .map(item => [textIn(item, 'wp:post_id'), textIn(item, 'content:encoded')]),
    ),
  }
  for (const channel of channels) {
    for (const [n, item] of channel.items.entries()) {
      const post = foreignPost(item, n, context)
      const broken = channel.isBroken && isBroken(item)
      if ('problem' in post) {
        collector.leaveOut(post)
      } else if (broken) {
        const { content_type: kind, title: label } = post
        collector.leaveOut({
          kind,
          label,
          problem: 'It has bytes that are not in the encoding of the file.',
          isWrong: true,
        })
      } else {
        collector.addPost(post)
        addComments(item, post.key, collector, logins)
      }
    }
  }
}

/** Returns the keys of the authors by their ids. Each file of an export has them all. */
function addAuthors(channels: Channel[], collector: Collector): Map<string, string> {
  const logins = new Map<string, string>()
  const earlier = new Set<string>()
  for (const { authors } of channels) {
    for (const author of authors.filter(author => !earlier.has(JSON.stringify(author)))) {
      const login = textIn(author, 'wp:author_login')
      const key = `user:${login}`
      logins.set(textIn(author, 'wp:author_id'), key)
      collector.addUser({
        key,
        name: plainLine(textIn(author, 'wp:author_display_name')) || login,
        email: textIn(author, 'wp:author_email'),
        bio: '',
        avatar: '',
        created_at: null,
      })
    }
    for (const author of authors) earlier.add(JSON.stringify(author))
  }
  return logins
}

/** Categories and tags of the channels, and those that only posts name. */
function addTerms(channels: Channel[], collector: Collector, wanted: string[]): void {
  const add = (domain: string, slug: string, name: string, description: string) => {
    const key = termKey(domain, slug)
    if (slug === '' || !wanted.includes(domain) || collector.hasCategory(key)) return
    collector.addCategory({ key, name: plainLine(name), slug, description: plainText(description) })
  }
  for (const { name: element, ...term } of channels.flatMap(({ terms }) => terms)) {
    const of = (name: string) => textIn({ name: element, ...term }, name)
    if (element === 'wp:category') {
      add('category', of('wp:category_nicename'), of('wp:cat_name'), of('wp:category_description'))
    } else if (element === 'wp:tag') {
      add('post_tag', of('wp:tag_slug'), of('wp:tag_name'), of('wp:tag_description'))
    } else {
      add(of('wp:term_taxonomy'), of('wp:term_slug'), of('wp:term_name'), of('wp:term_description'))
    }
  }
  for (const item of channels.flatMap(({ items }) => items).filter(postTypeOf)) {
    for (const { domain, slug, text } of termsOf(item)) add(domain, slug, text, '')
  }
}

const LONGEST = 5_000

/** Approved comments of readers. */
function addComments(item: Element, post: string, collector: Collector, logins: Map<string, string>): void {
  for (const [n, comment] of childrenOf(item, 'wp:comment').entries()) {
    const id = Number(textIn(comment, 'wp:comment_id'))
    const body = plainText(textIn(comment, 'wp:comment_content'))
    const problem = postTypeOf(item) === 'page' ? 'Pages take no comments.' : problemOf(comment, body)
    if (problem !== undefined) {
      collector.leaveOut({ kind: 'comment', label: `comment ${id}`, problem, isWrong: false })
      continue
    }
    const parent = Number(textIn(comment, 'wp:comment_parent'))
    collector.addComment({
      key: id > 0 ? `comment:${id}` : `comment:${post} ${n}`,
      id: id > 0 ? id : undefined,
      post,
      parent: parent > 0 ? `comment:${parent}` : null,
      user: logins.get(textIn(comment, 'wp:comment_user_id')) ?? null,
      name: plainLine(textIn(comment, 'wp:comment_author')),
      email: textIn(comment, 'wp:comment_author_email').trim(),
      body,
      created_at:
        secondsOf(textIn(comment, 'wp:comment_date_gmt')) ?? secondsOf(textIn(comment, 'wp:comment_date')),
    })
  }
}

function problemOf(comment: Element, body: string): string | undefined {
  const type = textIn(comment, 'wp:comment_type')
  if (type !== '' && type !== 'comment') return `It is a ${type}, no comment of a reader.`
  if (textIn(comment, 'wp:comment_approved') !== '1') return 'It is not approved.'
  const length = codePoints(body)
  if (length === 0) return 'It has no text.'
  return length > LONGEST ? `It has more than ${LONGEST} characters.` : undefined
}
