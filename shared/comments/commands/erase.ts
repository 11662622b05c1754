// Removes the name and the address of a guest from a comment, which stays.
import { DELETED_USER } from '../../accounts/author.ts'
import type { Table } from '../../table/client.ts'
import { exists, ignoreConditionFailed } from '../../table/conditions.ts'
import { commentKey } from '../../table/design.ts'

/** A no-op if the comment is deleted by then. */
export function eraseGuest(table: Table, id: number): Promise<void> {
  const Update = {
    Key: commentKey(id),
    UpdateExpression: 'SET guest = :guest',
    ...exists,
    ExpressionAttributeValues: { ':guest': { name: DELETED_USER, email: '' } },
  }
  return table.write({ Update }).catch(ignoreConditionFailed)
}
