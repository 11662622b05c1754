// Actions on a stored password, for the transactions of login, reset and account creation.
import { type Action, CONFLICT } from '../../table/action.ts'
import { setMembers } from '../../table/change.ts'
import { passwordKey } from '../../table/design.ts'

/** Sets the password of an account, whatever it was. */
export function putPassword(userId: number, hash: string): Action {
  return {
    Update: { Key: passwordKey(userId), ...setMembers({ hash }) },
  }
}

/** Changes nothing. Fails with CONFLICT if the password has changed. */
export function ifPasswordUnchanged(userId: number, hash: string): Action {
  return {
    onConditionFailed: CONFLICT,
    ConditionCheck: {
      Key: passwordKey(userId),
      ConditionExpression: '#hash = :hash',
      ExpressionAttributeNames: { '#hash': 'hash' },
      ExpressionAttributeValues: { ':hash': hash },
    },
  }
}
