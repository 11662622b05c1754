// What composes a mail: each kind of mail message has its composer, in the slice that it belongs to.
import type { MailMessage } from '../events/message.ts'
import type { Table } from '../table/client.ts'
import type { ComposedMail } from './mail.ts'

/** What a composer may need besides its message. */
export type MailContext = {
  table: Table
  /** Keys the tokens of links. */
  key: string
  /** The moment of sending, from which links count their time. */
  nowSeconds: number
  /** Base of every link, without a slash at its end. */
  siteUrl: string
  /** One line. */
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
