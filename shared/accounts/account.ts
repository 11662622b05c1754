// The views of accounts and tokens. No I/O.
import { isoTime } from '../http/time.ts'
import type { Actor } from './actor.ts'
import type { TokenView } from './contract.ts'
import type { Token } from './tokens.ts'
import type { User } from './user.ts'

export const loginUser = ({ id, name, email, email_verified }: User) => ({ id, name, email, email_verified })

export const profile = (user: User, actor: Actor) => ({
  ...loginUser(user),
  avatar: user.avatar,
  bio: user.bio,
  abilities: actor.abilities,
  created_at: isoTime(user.created_at),
})

export const tokenView = (token: Token, currentId: number): TokenView => ({
  id: token.id,
  name: token.name,
  abilities: token.abilities,
  last_used_at: token.last_used_at === null ? null : isoTime(token.last_used_at),
  expires_at: token.expires_at === null ? null : isoTime(token.expires_at),
  created_at: isoTime(token.created_at),
  is_current: token.id === currentId,
})
