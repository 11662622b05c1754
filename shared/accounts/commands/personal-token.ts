// Tokens that users create and delete themselves, authenticated by another token.
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { BUILDS_READ } from '../../http/audience.ts'
import { ApiError, invalid, notFound } from '../../http/errors.ts'
import type { Settings } from '../../site/settings.ts'
import { ConditionFailed } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { tokenKey } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import type { Actor } from '../actor.ts'
import { findTokens, findTokensToRevoke } from '../store/tokens.ts'
import { isExpired, Token } from '../token.ts'
import { MAX_TOKENS } from '../token-limit.ts'
import {
  buildToken,
  deleteTokens,
  ifUserUnchanged,
  removeToken,
  reserveToken,
  type TokenDraft,
} from './tokens.ts'

/**
 * Throws FORBIDDEN if only admins give an ability, UNAUTHENTICATED if the caller's token was revoked,
 * VALIDATION_ERROR at the token limit.
 */
export async function createPersonalToken(
  { table, nowSeconds, commit }: UnitOfWork,
  { userId, tokenId, abilities }: Actor,
  draft: Omit<TokenDraft, 'user_id'>,
  settings: Settings,
): Promise<{ token: Token; text: string }> {
  if (draft.abilities.includes(BUILDS_READ) && !abilities.includes('admin')) {
    throw new ApiError(
      'FORBIDDEN',
      'Only a token with the ability `admin` can give the ability `builds:read`.',
    )
  }
  const reserved = await reserveToken(table)
  return await retryOnConflict(async () => {
    const { user, tokens } = await findTokens(table, userId)
    if (!user || tokenId < user.first_valid_token) {
      throw new ApiError('UNAUTHENTICATED', 'The bearer token is no longer valid.')
    }
    const isPastExpiry = (token: Token) => isExpired(token, nowSeconds, settings)
    if (tokens.filter(token => !isPastExpiry(token)).length >= MAX_TOKENS) {
      throw invalid({ tokens: [`Must be at most ${MAX_TOKENS}: delete one first.`] })
    }
    const { action, ...created } = buildToken(reserved, { user_id: userId, ...draft }, nowSeconds)
    const revoked = await findTokensToRevoke(table, tokens, isPastExpiry)
    await commit({ actions: [action, ifUserUnchanged(user), ...deleteTokens(revoked)] })
    return created
  })
}

/** Throws NOT_FOUND, or FORBIDDEN if the caller's token has no `admin`, and the other an admin's ability. */
export async function revokePersonalToken(table: Table, actor: Actor, id: number): Promise<void> {
  if (actor.abilities.includes('admin')) return await removeToken(table, actor.userId, id)
  const Key = tokenKey(actor.userId, id)
  const Delete = {
    Key,
    ConditionExpression:
      'attribute_exists(pk) AND NOT contains(abilities, :admin) AND NOT contains(abilities, :builds)',
    ExpressionAttributeValues: { ':admin': 'admin', ':builds': BUILDS_READ },
  }
  await table.transact([{ Delete }]).catch(async error => {
    if (!(error instanceof ConditionFailed)) throw error
    if (!(await table.find(Key, Token))) throw notFound('Token')
    throw new ApiError(
      'FORBIDDEN',
      'Only a token with the ability `admin` can delete a token with `admin` or `builds:read`.',
    )
  })
}
