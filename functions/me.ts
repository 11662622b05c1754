// Everything under /me: the caller's profile, tokens, comments, tickets and newsletter.
import { meHandlers } from '../shared/accounts/handlers.ts'
import { ownCommentHandlers } from '../shared/comments/handlers.ts'
import { serve } from '../shared/lambda/serve.ts'
import { ownNewsletterHandlers } from '../shared/newsletter/handlers.ts'
import { ticketHandlers } from '../shared/tickets/handlers.ts'

export { ready } from '../shared/lambda/initialize.ts'

export const handler = serve([
  ...meHandlers,
  ...ownCommentHandlers,
  ...ownNewsletterHandlers,
  ...ticketHandlers,
])
