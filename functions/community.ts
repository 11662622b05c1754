// What guests send: comments, messages of the contact form, and subscriptions to the newsletter.
import { guestCommentHandlers } from '../shared/comments/handlers.ts'
import { contactHandlers } from '../shared/contact/handlers.ts'
import { serve } from '../shared/lambda/serve.ts'
import { newsletterHandlers } from '../shared/newsletter/handlers.ts'

export { ready } from '../shared/lambda/initialize.ts'

export const handler = serve([...guestCommentHandlers, ...contactHandlers, ...newsletterHandlers])
