// Who is asking: the user and the token that was presented.
import type { Ability } from '../http/audience.ts'

export type Actor = {
  userId: number
  tokenId: number
  abilities: Ability[]
}
