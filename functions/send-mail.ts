// Mails that changes ordered: composed and handed to SES, each at most once.
import { consume } from '../shared/lambda/consume.ts'
import { openPost } from '../shared/mail/post.ts'
import { sendMail } from '../shared/mail/send.ts'

export const handler = consume('mail', sendMail(openPost()))
