// Which mail says what: each kind of message has its composer, in the slice that it belongs to.
import { resetPasswordMail, verifyEmailMail } from '../accounts/mails.ts'
import type { MailMessage } from '../events/message.ts'
import { confirmNewsletterMail } from '../newsletter/mails.ts'
import type { Table } from '../table/client.ts'
import type { Composed } from './mail.ts'

/** What a composer may need beside its message. */
export type Desk = {
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

/** Undefined where there is nothing to be sent, or nobody to send it to. */
export type Composer<Kind extends keyof Messages> = (
  message: Messages[Kind],
  desk: Desk,
) => Promise<Composed | undefined>

const COMPOSERS: { [Kind in keyof Messages]: Composer<Kind> } = {
  'verify-email': verifyEmailMail,
  'reset-password': resetPasswordMail,
  'confirm-newsletter': confirmNewsletterMail,
}

export const compose = <Kind extends keyof Messages>(
  kind: Kind,
  message: Messages[Kind],
  desk: Desk,
): Promise<Composed | undefined> => COMPOSERS[kind](message, desk)
