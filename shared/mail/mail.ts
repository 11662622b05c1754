// What a mail is, and how one is ordered: its text is made when it is sent.
import { newEventId } from '../events/event-id.ts'
import type { MailMessage, Message } from '../events/message.ts'

/** A mail as a slice composes it. Every mail carries both parts. */
export type Mail = { to: string; subject: string; text: string; html: string }

type Ordered<Sort> = Sort extends MailMessage ? Omit<Sort, 'id'> : never

/** A message for the transaction of the change that causes the mail. */
export const orderMail = (ordered: Ordered<MailMessage>, nowMs: number): Message => ({
  queue: 'mail',
  body: { ...ordered, id: newEventId(nowMs) },
})
