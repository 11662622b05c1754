// A mail, and the message that orders one. Its text is composed when it is sent.
import { newEventId } from '../events/event-id.ts'
import type { MailMessage } from '../events/message.ts'
import type { WriteAction } from '../table/action.ts'

/** Every mail has a plain text and an HTML part. */
export type Mail = { to: string; subject: string; text: string; html: string }

/** `suppressed` is the write to run instead of sending, if the mailbox refuses mail or is over its limit. */
export type ComposedMail = Mail & { suppressed?: WriteAction }

type MailOrder<Sort> = Sort extends MailMessage ? Omit<Sort, 'id'> : never

/** Returns the message for the transaction of the change that causes the mail. */
export function orderMail(order: MailOrder<MailMessage>, nowMs: number) {
  return { queue: 'jobs' as const, body: { ...order, id: newEventId(nowMs) } satisfies MailMessage }
}
