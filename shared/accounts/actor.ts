// The caller of an endpoint: a user, and the token of the request.
import type { Ability } from '../http/audience.ts'

export type Actor = {
  userId: number
  tokenId: number
  abilities: Ability[]
}
