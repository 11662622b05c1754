// The contact form.
import { contact } from '../shared/contact/contract.ts'
import { addSubmission } from '../shared/contact/store.ts'
import { submissionView } from '../shared/contact/submission.ts'
import { reply } from '../shared/http/reply.ts'
import { serve } from '../shared/lambda/serve.ts'

export const handler = serve(contact, {
  submitContact: async ({ body, work }) => reply(submissionView(await addSubmission(work, body))),
})
