// Actions on a stored password, for the transactions that log in, reset and create accounts.
import { type Action, CONFLICT } from '../../table/action.ts'
import { passwordKey } from '../../table/design.ts'

/** Sets the password of an account, whatever it was. */
export function putPassword(userId: number, hash: string): Action {
  return {
    Put: { Item: { ...passwordKey(userId), hash } },
  }
}

/** Keeps the same password as another hash. Both this and `passwordIs` are STALE once the password is another. */
export function upgradeHash(userId: number, was: string, hash: string): Action {
  return {
    onConditionFailed: CONFLICT,
    Put: { Item: { ...passwordKey(userId), hash }, ...whereHashIs(was) },
  }
}

export function ifPasswordUnchanged(userId: number, hash: string): Action {
  return {
    onConditionFailed: CONFLICT,
    ConditionCheck: { Key: passwordKey(userId), ...whereHashIs(hash) },
  }
}

function whereHashIs(was: string) {
  return {
    ConditionExpression: '#hash = :was',
    ExpressionAttributeNames: { '#hash': 'hash' },
    ExpressionAttributeValues: { ':was': was },
  }
}
