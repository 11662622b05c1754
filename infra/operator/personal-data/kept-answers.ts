// What the log of deliveries keeps of a person: receivers may answer with what they got, and an admin's own
// subscriptions have URLs.
import { currentMs } from '../../../shared/http/time.ts'
import { ignoreConditionFailed } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { slices } from '../../../shared/table/concurrency.ts'
import { deliveryKey, type Item, type Key, kindOf } from '../../../shared/table/design.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import { type AttemptRecord, attemptOf } from '../../../shared/webhooks/delivery.ts'
import { mentions, type Person } from './personal-data.ts'

const KEYS_AT_ONCE = 1_000

/** Give `look` all items of the scan. */
export function openLog(table: Table, { email, userId }: Person) {
  const webhookIds = new Set<number>()
  const answers = new Map<string, AttemptRecord>()
  const own: Key[] = []
  const add = (attempt: AttemptRecord) => answers.set(`${attempt.webhook_id} ${attempt.sk}`, attempt)
  const answered = async (keys: Key[]): Promise<AttemptRecord[]> => {
    const found: AttemptRecord[] = []
    for (const some of slices(keys, KEYS_AT_ONCE)) {
      for (const item of await table.findMany(some)) found.push(attemptIn(item))
    }
    return found
  }
  return {
    look: (items: Item[]): void => {
      const attempts = items.filter(isDelivery).map(attemptIn)
      for (const attempt of attempts) webhookIds.add(attempt.webhook_id)
      for (const attempt of attempts) {
        if (attempt.owner_id === userId) own.push(deliveryKey(attempt.webhook_id, attempt.sk))
        if (mentions(attempt.response, email)) add(attempt)
      }
    },
    /** The deliveries of the person's own subscriptions. */
    own,
    /** The attempts whose answers contain the address, or answer one of these events. */
    answersTo: async (eventIds: string[]): Promise<AttemptRecord[]> => {
      const firsts = await answered(
        eventIds.flatMap(id => [...webhookIds].map(webhook => deliveryKey(webhook, id))),
      )
      const later = firsts.flatMap(first =>
        Object.values(first.later).map(sk => deliveryKey(first.webhook_id, sk)),
      )
      for (const attempt of [...firsts, ...(await answered(later))]) if (attempt.response) add(attempt)
      return [...answers.values()]
    },
  }
}

function isDelivery({ pk }: Item): boolean {
  return kindOf(pk) === ('DELIVERIES' satisfies Kind)
}

function attemptIn(item: Item): AttemptRecord {
  return attemptOf(item, currentMs())
}

/** May be repeated. The attempt stays in the log. */
export async function eraseAnswer(table: Table, { webhook_id, sk }: AttemptRecord): Promise<void> {
  const Update = {
    Key: deliveryKey(webhook_id, sk),
    UpdateExpression: 'REMOVE #response',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeNames: { '#response': 'response' },
  }
  await table.write({ Update }).catch(ignoreConditionFailed)
}
