// What the log of deliveries keeps of a person: events with their name and address, answers of receivers
// (which may be what they got), and the URLs of an admin's own subscriptions.
import * as z from 'zod/mini'
import { currentMs } from '../../../shared/http/time.ts'
import { ignoreConditionFailed } from '../../../shared/table/action.ts'
import type { Table } from '../../../shared/table/client.ts'
import { slices } from '../../../shared/table/concurrency.ts'
import { deliveryKey, type Item, type Key, kindOf } from '../../../shared/table/design.ts'
import type { Kind } from '../../../shared/table/kinds.ts'
import { type AttemptRecord, attemptOf } from '../../../shared/webhooks/delivery.ts'
import { mentions, type Person } from './personal-data.ts'

const OfComment = z.object({ resource: z.object({ type: z.literal('comment'), id: z.int() }) })

/** The comment that an event is about: its payload has the author's name, but neither number nor address. */
export function commentIdOf(item: Item): number | undefined {
  return kindOf(item.pk) === ('EVENT' satisfies Kind)
    ? OfComment.safeParse(item).data?.resource.id
    : undefined
}

const Payload = z.object({
  event: z.string(),
  occurred_at: z.string(),
  data: z.record(z.string(), z.unknown()),
})
export type OwnEvent = z.infer<typeof Payload> & { key: Key }

export function eventIn({ pk, sk, body }: Item): OwnEvent {
  return { ...Payload.parse(JSON.parse(String(body))), key: { pk, sk } }
}

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
        if (mentions([attempt.response, attempt.body], email)) add(attempt)
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
      for (const attempt of [...firsts, ...(await answered(later))]) {
        if (attempt.response || attempt.body) add(attempt)
      }
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
    UpdateExpression: 'REMOVE #response, #body',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeNames: { '#response': 'response', '#body': 'body' },
  }
  await table.write({ Update }).catch(ignoreConditionFailed)
}
