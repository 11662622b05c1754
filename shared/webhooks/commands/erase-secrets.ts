// Erases the old secrets of rotations whose overlap has ended. No delivery uses them any more.
import { type Action, CONFLICT } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { ignoreConditionFailed } from '../../table/conditions.ts'
import { webhookKey } from '../../table/design.ts'
import { withoutEndedSecret } from '../rotation.ts'
import { type EndedRotation, listEndedRotations } from '../store/rotations.ts'
import { findWebhook } from '../store/webhooks.ts'
import type { WebhookRecord } from '../webhook.ts'
import { raiseVersion } from './version.ts'

/** Returns how many rotations had ended. */
export async function eraseEndedSecrets(table: Table, nowSeconds: number): Promise<number> {
  const ended = await listEndedRotations(table, nowSeconds)
  for (const rotation of ended) {
    // After a concurrent change of the subscription, the next sweep tries again.
    await endRotation(table, rotation, nowSeconds).catch(ignoreConditionFailed)
  }
  return ended.length
}

async function endRotation(table: Table, rotation: EndedRotation, nowSeconds: number): Promise<void> {
  const { pk, sk, owner_id, webhook_id } = rotation
  const webhook = await findWebhook(table, { ownerId: owner_id, id: webhook_id })
  const kept = webhook && withoutEndedSecret(webhook, nowSeconds)
  const erasing = webhook && kept && kept !== webhook ? [putSecret(kept), raiseVersion()] : []
  await table.transact([...erasing, { Delete: { Key: { pk, sk } } }])
}

/** Writes only the secret of the record, if nothing of it was changed since it was read. */
export function putSecret({ owner_id, id, sealed_secret, revision }: WebhookRecord): Action {
  return {
    onConditionFailed: CONFLICT,
    Update: {
      Key: webhookKey(owner_id, id),
      UpdateExpression: 'SET sealed_secret = :secret, revision = revision + :one',
      ConditionExpression: 'revision = :read',
      ExpressionAttributeValues: { ':secret': sealed_secret, ':one': 1, ':read': revision },
    },
  }
}
