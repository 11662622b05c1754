// Actions on a stored password, for the transactions of login, reset and account creation.
import { type Action, CONFLICT } from '../../table/action.ts'
import { passwordKey } from '../../table/design.ts'

/** Sets the password of an account without any condition. */
export function putPassword(userId: number, hash: string): Action {
  return {
    Put: { Item: { ...passwordKey(userId), hash } },
  }
}

/** Replaces an outdated hash of the same password. Fails with CONFLICT if the password has changed. */
export function upgradeHash(userId: number, was: string, hash: string): Action {
  return {
    onConditionFailed: CONFLICT,
    Put: { Item: { ...passwordKey(userId), hash }, ...whereHashIs(was) },
  }
}

/** Fails with CONFLICT if the password has changed. */
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
