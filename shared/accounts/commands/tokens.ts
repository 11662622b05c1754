// Creates, uses and deletes tokens, and guards their user in the same transactions.
import * as z from 'zod/mini'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { BUILDS_READ } from '../../http/audience.ts'
import { ApiError, invalid, notFound } from '../../http/errors.ts'
import type { Settings } from '../../site/settings.ts'
import {
  type Action,
  CONFLICT,
  ConditionFailed,
  exists,
  hasRevision,
  ignoreConditionFailed,
  isNew,
  setMembers,
} from '../../table/action.ts'
import { perTable, type Table } from '../../table/client.ts'
import { tokenKey, tokenUseKey, userKey } from '../../table/design.ts'
import { nextId } from '../../table/next-id.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { findTokens, findTokensToRevoke } from '../store/tokens.ts'
import { type Actor, hashSecret, isExpired, MAX_TOKENS, newTokenSecret, Token, tokenText } from '../token.ts'
import type { User } from '../user.ts'
import { changeUser } from './users.ts'

const RECORD_EVERY_SECONDS = 3_600
/** A token that was not used for longer counts as never used. */
const USE_KEPT_SECONDS = 366 * 86_400
const MAX_REMEMBERED = 10_000

/** When this function has recorded the use of a token, by its id. */
const recordedOf = perTable(() => new Map<number, number>())

/** Records the use of a token once an hour, beside the counts of requests: any function may write those. */
export async function recordTokenUse(table: Table, tokenId: number, nowSeconds: number): Promise<void> {
  const recorded = recordedOf(table)
  const anHourAgo = nowSeconds - RECORD_EVERY_SECONDS
  if ((recorded.get(tokenId) ?? 0) > anHourAgo) return
  if (recorded.size >= MAX_REMEMBERED) recorded.clear()
  recorded.set(tokenId, nowSeconds)
  const use = { last_used_at: nowSeconds, expires: nowSeconds + USE_KEPT_SECONDS }
  const Put = {
    Item: { ...tokenUseKey(tokenId), ...use },
    // Another function may have recorded it.
    ConditionExpression: 'attribute_not_exists(pk) OR last_used_at <= :ago',
    ExpressionAttributeValues: { ':ago': anHourAgo },
  }
  await table.write({ Put }).catch(ignoreConditionFailed)
}

export type TokenDraft = Pick<Token, 'user_id' | 'name' | 'abilities' | 'by_login'>

/** Returns the token, its text and the action that stores it. Only a hash of the text is stored. */
export async function newToken(table: Table, draft: TokenDraft, nowSeconds: number) {
  const id = await nextId(table, 'token')
  const secret = newTokenSecret()
  const secret_hash = hashSecret(secret)
  const token: Token = { id, ...draft, secret_hash, expires_at: null, created_at: nowSeconds }
  const action = { Put: { Item: { ...tokenKey(token.user_id, id), ...token }, ...isNew } }
  const isForBuilds = draft.abilities.includes(BUILDS_READ)
  return { token, action, text: tokenText({ userId: token.user_id, tokenId: id, secret, isForBuilds }) }
}

/**
 * Add this to each transaction that creates a token. Fails with CONFLICT if the token is revoked already, and
 * bumps the revision, so that a concurrent reset reads again and revokes the new token as well.
 */
export function ifNotRevoked(userId: number, tokenId: number): Action {
  return {
    onConditionFailed: CONFLICT,
    Update: {
      Key: userKey(userId),
      UpdateExpression: 'ADD revision :one',
      ConditionExpression: 'first_valid_token <= :token',
      ExpressionAttributeValues: { ':one': 1, ':token': tokenId },
    },
  }
}

/** Like `ifNotRevoked`, but fails with CONFLICT after any change of the user, a new token included. */
function ifUserUnchanged({ id, revision }: User): Action {
  return {
    onConditionFailed: CONFLICT,
    Update: { Key: userKey(id), ...setMembers({ revision: revision + 1 }, hasRevision(revision)) },
  }
}

export function logOut(table: Table, { userId, tokenId }: Actor): Promise<void> {
  return table.write({ Delete: { Key: tokenKey(userId, tokenId) } })
}

/** Throws NOT_FOUND. */
export async function removeToken(table: Table, userId: number, tokenId: number): Promise<void> {
  const Delete = { Key: tokenKey(userId, tokenId), ...exists }
  await table.transact([{ Delete }]).catch(error => {
    throw error instanceof ConditionFailed ? notFound('Token') : error
  })
}

/** For the transaction that adds a token to a full account. */
export function deleteTokens(tokens: Token[]): Action[] {
  return tokens.map(({ user_id, id }) => ({ Delete: { Key: tokenKey(user_id, id) } }))
}

const BATCH = 100

const TokenKey = z.object({ pk: z.string(), sk: z.string() })

/** Deletes up to 100 tokens with an id below `firstValid`. Returns whether there may be more. */
export async function removeRevokedTokens(
  table: Table,
  userId: number,
  firstValid: number,
): Promise<boolean> {
  // Tokens sort before all other records of their partition.
  const { pk, sk: before } = tokenKey(userId, firstValid)
  const keys = await table.query({ pk, before, limit: BATCH, only: ['pk', 'sk'] }, TokenKey)
  await table.removeMany(keys)
  return keys.length === BATCH
}

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
  const { action, ...created } = await newToken(table, { user_id: userId, ...draft }, nowSeconds)
  return await retryOnConflict(async () => {
    const { user, tokens } = await findTokens(table, userId)
    if (!user || tokenId < user.first_valid_token) {
      throw new ApiError('UNAUTHENTICATED', 'The bearer token is no longer valid.')
    }
    const isPastExpiry = (token: Token) => isExpired(token, nowSeconds, settings)
    if (tokens.filter(token => !isPastExpiry(token)).length >= MAX_TOKENS) {
      throw invalid({ tokens: [`Must be at most ${MAX_TOKENS}: delete one first.`] })
    }
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

type RevokeOptions = {
  /** Throws to stop, given the account as the transaction reads it. */
  check?: (user: User) => void
  /** Further actions for the same transaction. */
  actions?: Action[]
}

/**
 * The new `first_valid_token` is taken after the account was read. A token created since then has bumped the
 * revision (`ifNotRevoked`), so the change reads again and revokes it as well. Throws NOT_FOUND.
 */
export function revokeTokens(
  work: UnitOfWork,
  userId: number,
  { check, actions = [] }: RevokeOptions = {},
): Promise<User> {
  const revokeAll = async (user: User): Promise<User> => {
    check?.(user)
    return { ...user, first_valid_token: await nextId(work.table, 'token') }
  }
  return changeUser(work.table, userId, revokeAll, (change, { first_valid_token }) =>
    work.commit({
      ...change,
      actions: [...change.actions, ...actions],
      messages: [
        { queue: 'jobs', body: { kind: 'tokens', user_id: userId, first_valid: first_valid_token } },
      ],
    }),
  )
}
