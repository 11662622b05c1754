// The events that are kept for the log of deliveries: their payloads may hold a person's name and address.
import * as z from 'zod/mini'
import { type Item, type Key, kindOf } from '../../../shared/table/design.ts'
import type { Kind } from '../../../shared/table/kinds.ts'

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
