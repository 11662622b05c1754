// Registration, login and logout, and the links in mails.
import { authHandlers } from '../shared/accounts/handlers.ts'
import { serve } from '../shared/lambda/serve.ts'

export { ready } from '../shared/lambda/initialize.ts'

export const handler = serve(authHandlers)
