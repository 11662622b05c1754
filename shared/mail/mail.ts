// What a mail is, and how one is ordered: its text is made when it is sent.
import { newEventId } from '../events/event-id.ts'
import type { MailMessage, Message } from '../events/message.ts'
import type { Simple } from '../table/action.ts'

/** A mail as a slice composes it. Every mail carries both parts. */
export type Mail = { to: string; subject: string; text: string; html: string }

/** `suppressed`: what makes of it a mail that nobody ordered, where its address had its share of mails. */
export type ComposedMail = Mail & { suppressed?: Simple }

type MailOrder<Sort> = Sort extends MailMessage ? Omit<Sort, 'id'> : never

/** A message for the transaction of the change that causes the mail. */
export function orderMail(order: MailOrder<MailMessage>, nowMs: number): Message {
  return {
    queue: 'mail',
    body: { ...order, id: newEventId(nowMs) },
  }
}
