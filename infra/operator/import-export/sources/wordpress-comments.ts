// Approved comments of WordPress, each after the one that it replies to.
import { codePoints } from '../../../../shared/http/text.ts'
import { rawTextOf } from '../../../../shared/posts/html-text.ts'
import { LARGEST_ID } from '../format.ts'
import type { CommentItem, Unusable } from '../item.ts'
import { lineOf, secondsOf } from './foreign.ts'
import { postTypeOf } from './wordpress-posts.ts'
import { childrenOf, type Element, textIn } from './xml.ts'

const LONGEST = 5_000

/** `logins`: of the authors of the export, by their ids. */
export function commentItems(item: Element, logins: Map<string, string>): (CommentItem | Unusable)[] {
  const sorted = childrenOf(item, 'wp:comment').toSorted((a, b) => idOf(a) - idOf(b))
  return sorted.map(comment => {
    const problem = postTypeOf(item) === 'page' ? 'Pages take no comments.' : problemOf(comment)
    const label = `comment ${idOf(comment)}`
    return problem === undefined
      ? commentItem(comment, `post:${textIn(item, 'wp:post_id')}`, label, logins)
      : { kind: 'comment', label, problem, isWrong: false }
  })
}

function idOf(comment: Element): number {
  return Number(textIn(comment, 'wp:comment_id'))
}

function problemOf(comment: Element): string | undefined {
  const type = textIn(comment, 'wp:comment_type')
  if (type !== '' && type !== 'comment') return `It is a ${type}, no comment of a reader.`
  if (textIn(comment, 'wp:comment_approved') !== '1') return 'It is not approved.'
  const length = codePoints(plainText(textIn(comment, 'wp:comment_content')))
  if (length === 0) return 'It has no text.'
  return length > LONGEST ? `It has more than ${LONGEST} characters.` : undefined
}

function commentItem(
  comment: Element,
  post: string,
  label: string,
  logins: Map<string, string>,
): CommentItem {
  const id = idOf(comment)
  const parent = Number(textIn(comment, 'wp:comment_parent'))
  const login = logins.get(textIn(comment, 'wp:comment_user_id'))
  const name = lineOf(textIn(comment, 'wp:comment_author'), 100) || 'Anonymous'
  return {
    kind: 'comment',
    key: `comment:${id}`,
    id: id <= LARGEST_ID ? id : undefined,
    label,
    post,
    parent: parent > 0 ? `comment:${parent}` : null,
    user: login === undefined ? null : `user:${login}`,
    value: {
      guest: { name, email: lineOf(textIn(comment, 'wp:comment_author_email'), 254) },
      body: plainText(textIn(comment, 'wp:comment_content')),
      status: 'approved',
      created_at: secondsOf(textIn(comment, 'wp:comment_date_gmt')) ?? 0,
    },
  }
}

/** Comments are plain text here. Line ends stay, since WordPress shows them too. */
export function plainText(html: string): string {
  const isLineEnd = (name: string, isEnd: boolean) => !isEnd && (name === 'br' || name === 'p')
  return rawTextOf(html, (name, isEnd) => (isLineEnd(name, isEnd) ? '\n' : ''))
    .toWellFormed()
    .trim()
}
