// The interface of composers: each kind of mail has one, in the slice that it belongs to.
import type { MailMessage } from '../events/message.ts'
import type { Table } from '../table/client.ts'
import type { ComposedMail } from './mail.ts'

/** What a composer gets in addition to its message. */
export type MailContext = {
  table: Table
  /** Key of the tokens in links. */
  key: string
  /** The time of sending; the lifetime of links starts here. */
  nowSeconds: number
  /** Base of every link, without a trailing slash. */
  siteUrl: string
  /** Without line breaks. */
  siteName: string
}

type Messages = { [Kind in MailMessage['kind']]: Extract<MailMessage, { kind: Kind }> }

/** Returns undefined when there is nothing to send, or no recipient. */
export type Composer<Kind extends keyof Messages> = (
  message: Messages[Kind],
  context: MailContext,
) => Promise<ComposedMail | undefined>

export type Composers = { [Kind in keyof Messages]: Composer<Kind> }

export function compose<Kind extends keyof Messages>(
  composers: Composers,
  kind: Kind,
  message: Messages[Kind],
  context: MailContext,
): Promise<ComposedMail | undefined> {
  return composers[kind](message, context)
}
