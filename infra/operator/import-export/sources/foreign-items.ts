// Accounts and categories of other systems as items.
import { emailAddress } from '../../../../shared/http/email.ts'
import { isHttpUrl } from '../../../../shared/http/text.ts'
import type { CategoryItem, Unusable, UserItem } from '../item.ts'
import { cutTo, lineOf, type openSlugs } from './foreign.ts'

export type ForeignUser = {
  key: string
  name: string
  email: string
  bio: string | null
  avatar: string | null
  created_at: number | null
}

/** Its address counts as not confirmed. It has no password, so its owner asks for a new one. */
export function userItem({ key, name, email, bio, avatar, created_at }: ForeignUser): UserItem | Unusable {
  const { data: address } = emailAddress.safeParse(email)
  if (!address) {
    const problem = 'It has no valid e-mail address. Its posts get the default author.'
    return { kind: 'user', label: name || key, problem, isWrong: false }
  }
  return {
    kind: 'user',
    key,
    label: address,
    value: {
      name: lineOf(name, 255) || address,
      email: address,
      email_verified: false,
      avatar: avatar !== null && isHttpUrl(avatar) ? avatar : null,
      bio: bio === null ? null : cutTo(bio, 500) || null,
      ban: null,
      created_at: created_at ?? 0,
    },
  }
}

export type ForeignCategory = { key: string; name: string; slug: string; description: string }

export function categoryItem(
  { key, name, slug, description }: ForeignCategory,
  slugOf: ReturnType<typeof openSlugs>,
): CategoryItem {
  const fitting = lineOf(name, 100) || lineOf(slug, 100) || 'Category'
  const unique = slugOf(slug, fitting, 'category')
  return {
    kind: 'category',
    key,
    label: unique,
    value: { name: fitting, slug: unique, description: cutTo(description, 1000), version: 1 },
  }
}
