// Handlers of the contact form: sending a message, and the messages for admins.
import { paged, reply } from '../http/reply.ts'
import { handlersOf } from '../lambda/handler.ts'
import { addSubmission, listSubmissions, removeSubmission } from './commands.ts'
import { adminContact, contact } from './contract.ts'
import { submissionView } from './submission.ts'

export const contactHandlers = handlersOf(contact, {
  submitContact: async ({ body, work }) => reply(submissionView(await addSubmission(work, body))),
})

export const adminContactHandlers = handlersOf(adminContact, {
  listSubmissions: async ({ query, table }) => paged(await listSubmissions(table, query), query),

  deleteSubmission: ({ params, work }) => removeSubmission(work, params.id),
})
