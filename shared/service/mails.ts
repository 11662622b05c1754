// Maps each kind of mail to the function that composes it.
import { resetPasswordMail, verifyEmailMail } from '../accounts/mails.ts'
import type { Composers } from '../mail/composer.ts'
import { confirmNewsletterMail } from '../newsletter/mails.ts'
import { webhookFailingMail } from '../webhooks/mails.ts'

export const COMPOSERS: Composers = {
  'verify-email': verifyEmailMail,
  'reset-password': resetPasswordMail,
  'confirm-newsletter': confirmNewsletterMail,
  'webhook-failing': webhookFailingMail,
}
