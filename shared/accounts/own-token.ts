// A token that a user makes for themselves, by another: as long as that is valid, and there is room.
import { ApiError, invalid } from '../http/errors.ts'
import type { Work } from '../lambda/work.ts'
import type { Settings } from '../site/settings.ts'
import { deciding } from '../table/deciding.ts'
import type { Actor } from './actor.ts'
import { MOST_TOKENS, makeRoom } from './token-room.ts'
import {
  drawToken,
  findTokens,
  isExpired,
  type Token,
  tokenOf,
  type WantedToken,
  whileUnchanged,
} from './tokens.ts'

/** Throws UNAUTHENTICATED when the presented token was voided meanwhile, VALIDATION_ERROR when there are enough. */
export const addOwnToken = async (
  { table, nowSeconds, commit }: Work,
  { userId, tokenId }: Actor,
  wanted: Omit<WantedToken, 'user_id'>,
  settings: Settings,
): Promise<{ token: Token; text: string }> => {
  const drawn = await drawToken(table)
  return await deciding(async () => {
    const { user, tokens } = await findTokens(table, userId)
    if (!user || tokenId < user.first_valid_token)
      throw new ApiError('UNAUTHENTICATED', 'The bearer token is no longer valid.')
    const isOver = (token: Token) => isExpired(token, nowSeconds, settings)
    if (tokens.filter(token => !isOver(token)).length >= MOST_TOKENS)
      throw invalid({ tokens: [`Must be at most ${MOST_TOKENS}: delete one first.`] })
    const { action, ...made } = tokenOf(drawn, { user_id: userId, ...wanted }, nowSeconds)
    await commit({ actions: [action, whileUnchanged(user), ...makeRoom(tokens, isOver)] })
    return made
  })
}
