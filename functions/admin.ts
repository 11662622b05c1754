// Everything under /admin: content, moderation, users, and webhook subscriptions.
import { adminUserHandlers } from '../shared/accounts/handlers.ts'
import { batchHandlersOf } from '../shared/batch/handlers.ts'
import { adminCategoryHandlers } from '../shared/categories/handlers.ts'
import { adminCommentHandlers } from '../shared/comments/handlers.ts'
import { adminContactHandlers } from '../shared/contact/handlers.ts'
import { serve } from '../shared/lambda/serve.ts'
import { adminNewsletterHandlers } from '../shared/newsletter/handlers.ts'
import { adminPostHandlers } from '../shared/posts/handlers.ts'
import { adminSiteHandlers } from '../shared/site/handlers.ts'
import { adminTicketHandlers } from '../shared/tickets/handlers.ts'
import { webhookHandlers } from '../shared/webhooks/handlers.ts'

export { ready } from '../shared/lambda/initialize.ts'

const contentHandlers = [...adminPostHandlers, ...adminCategoryHandlers]

export const handler = serve([
  ...contentHandlers,
  ...batchHandlersOf(contentHandlers),
  ...adminCommentHandlers,
  ...adminUserHandlers,
  ...adminSiteHandlers,
  ...adminNewsletterHandlers,
  ...adminContactHandlers,
  ...adminTicketHandlers,
  ...webhookHandlers,
])
