// The contact form.
import { addSubmission } from '../shared/contact/commands.ts'
import { contact } from '../shared/contact/contract.ts'
import { submissionView } from '../shared/contact/view.ts'
import { reply } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'

export const handler = serve(contact, {
  submitContact: async ({ body, work }) => reply(submissionView(await addSubmission(work, body))),
})
