// How tokens are kept: beside their user, so that one read fetches both.

import * as z from 'zod/mini'
import { ABILITIES } from '../../http/audience.ts'
import { notFound } from '../../http/errors.ts'
import type { Settings } from '../../site/settings.ts'
import { type Action, CONFLICT, ConditionFailed } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { exists, ignoreConditionFailed, isNew } from '../../table/conditions.ts'
import { TOKEN_PREFIX, tokenKey, userKey } from '../../table/design.ts'
import { nextId } from '../../table/next-id.ts'
import { hashSecret, newTokenSecret, tokenText } from '../secrets.ts'
import { User } from '../user.ts'

const time = z.nullable(z.number())

export const Token = z.object({
  id: z.int(),
  user_id: z.int(),
  name: z.string(),
  abilities: z.array(z.enum(ABILITIES)),
  secret_hash: z.string(),
  last_used_at: time,
  expires_at: time,
  created_at: z.number(),
  /** Made by logging in: it may make room for a later one. */
  by_login: z.optional(z.boolean()),
})
export type Token = z.infer<typeof Token>

/** Counted from its making, by a setting that acts on tokens that exist; epoch seconds. */
export function expiryOf({ created_at, expires_at }: Token, settings?: Settings): number | null {
  const minutes = settings?.['auth.token_lifetime_minutes'] ?? null
  const bySetting = minutes === null ? null : created_at + minutes * 60
  if (expires_at === null || bySetting === null) return expires_at ?? bySetting
  return Math.min(expires_at, bySetting)
}

export function isExpired(token: Token, nowSeconds: number, settings?: Settings): boolean {
  const expiry = expiryOf(token, settings)
  return expiry !== null && expiry <= nowSeconds
}

export async function findTokenWithUser(table: Table, userId: number, tokenId: number) {
  const [first, second] = await table.findMany([userKey(userId), tokenKey(userId, tokenId)])
  const token = [first, second].find(item => item?.sk.startsWith(TOKEN_PREFIX))
  const user = [first, second].find(item => item && !item.sk.startsWith(TOKEN_PREFIX))
  return token && user && { token: Token.parse(token), user: User.parse(user) }
}

/** Notes the use; a token that was deleted meanwhile stays deleted. */
export async function touchToken(
  table: Table,
  token: Pick<Token, 'user_id' | 'id'>,
  nowSeconds: number,
): Promise<void> {
  const Update = {
    Key: tokenKey(token.user_id, token.id),
    UpdateExpression: 'SET last_used_at = :now',
    ...exists,
    ExpressionAttributeValues: { ':now': nowSeconds },
  }
  await table.write({ Update }).catch(ignoreConditionFailed)
}

export type ReservedToken = { id: number; secret: string }

/** The number and the secret of a token that is nobody's yet. */
export async function reserveToken(table: Table): Promise<ReservedToken> {
  return {
    id: await nextId(table, 'token'),
    secret: newTokenSecret(),
  }
}

export type WantedToken = Pick<Token, 'user_id' | 'name' | 'abilities' | 'by_login'>

/** A new token, its text in hand, and the action that keeps it: only its hash is stored. */
export async function newToken(table: Table, wanted: WantedToken, nowSeconds: number) {
  return tokenOf(await reserveToken(table), wanted, nowSeconds)
}

export function tokenOf({ id, secret }: ReservedToken, wanted: WantedToken, nowSeconds: number) {
  const token: Token = {
    id,
    ...wanted,
    secret_hash: hashSecret(secret),
    last_used_at: null,
    expires_at: null,
    created_at: nowSeconds,
  }
  const action = {
    Put: {
      Item: { ...tokenKey(token.user_id, token.id), ...token },
      ...isNew,
    },
  }
  return { token, action, text: tokenText(token.user_id, token.id, secret) }
}

/**
 * Beside each token that is added to an account: this one is not void, else STALE. It raises the revision, so that a
 * change that is under way reads again: the line that a reset draws is then above the new token, too.
 */
export function ifNotRevoked(userId: number, tokenId: number): Action {
  return {
    onConditionFailed: CONFLICT,
    Update: { ...stillValid(userId, tokenId), UpdateExpression: 'ADD revision :one' },
  }
}

/** The same for the token that makes an admin of the user, who was none until then. */
export function becomingAdmin(userId: number, tokenId: number, nowMs: number): Action {
  const { ExpressionAttributeValues, ...valid } = stillValid(userId, tokenId)
  const values = { ...ExpressionAttributeValues, ':now': nowMs }
  const UpdateExpression = 'SET admin_since_ms = :now ADD revision :one'
  return {
    onConditionFailed: CONFLICT,
    Update: { ...valid, UpdateExpression, ExpressionAttributeValues: values },
  }
}

function stillValid(userId: number, tokenId: number) {
  return {
    Key: userKey(userId),
    ConditionExpression: 'first_valid_token <= :token',
    ExpressionAttributeValues: { ':one': 1, ':token': tokenId },
  }
}

/** The same where all that was read of the account must still be so: STALE after any change, and any other token. */
export function whileUnchanged({ id, revision }: User): Action {
  return {
    onConditionFailed: CONFLICT,
    Update: {
      Key: userKey(id),
      UpdateExpression: 'ADD revision :one',
      ConditionExpression: 'revision = :read',
      ExpressionAttributeValues: { ':one': 1, ':read': revision },
    },
  }
}

/** A user and their tokens, newest first, void ones left out. */
export async function findTokens(table: Table, userId: number) {
  const span = { pk: userKey(userId).pk, beginsWith: TOKEN_PREFIX, descending: true }
  // The user first: tokens older than the revision that was read would pass under its condition.
  const user = await table.find(userKey(userId), User)
  const tokens = await table.query(span, Token)
  return { user, tokens: tokens.filter(({ id }) => id >= (user?.first_valid_token ?? 0)) }
}

/** Newest first, void and expired ones left out. */
export async function listTokens(
  table: Table,
  userId: number,
  settings: Settings,
  nowSeconds: number,
): Promise<Token[]> {
  const { tokens } = await findTokens(table, userId)
  const dated = tokens.map(token => ({ ...token, expires_at: expiryOf(token, settings) }))
  return dated.filter(token => !isExpired(token, nowSeconds))
}

export async function removeToken(table: Table, userId: number, tokenId: number): Promise<void> {
  const Delete = { Key: tokenKey(userId, tokenId), ...exists }
  await table.transact([{ Delete }]).catch(error => {
    throw error instanceof ConditionFailed ? notFound('Token') : error
  })
}

const STEP = 100
const Keys = z.object({ pk: z.string(), sk: z.string() })

/** Tokens are the first records of their partition. Removes up to 100 with a smaller id than `firstValid`; true when there may be more. */
export async function removeRevokedTokens(
  table: Table,
  userId: number,
  firstValid: number,
): Promise<boolean> {
  const { pk, sk: before } = tokenKey(userId, firstValid)
  const keys = await table.query({ pk, before, limit: STEP, only: ['pk', 'sk'] }, Keys)
  await table.removeMany(keys)
  return keys.length === STEP
}
