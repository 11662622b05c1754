// The endpoints of the contact form: sending a message, and reading messages as an admin.
import * as z from 'zod/mini'
import { ownLimit } from '../http/audience.ts'
import { emailAddress } from '../http/email.ts'
import { EmptyData, endpoint, group, Id, pageQuery } from '../http/endpoint.ts'
import { named } from '../http/named.ts'
import { optionalLine, requiredLine, requiredText } from '../http/text.ts'
import { Time } from '../http/time.ts'

export const SubmissionView = named(
  'ContactSubmission',
  z.object({
    id: z.int(),
    name: z.string(),
    email: z.string(),
    subject: z.nullable(z.string()),
    message: z.string(),
    created_at: Time,
  }),
)
export type SubmissionView = z.infer<typeof SubmissionView>

export const SubmissionInput = z.object({
  name: requiredLine(255),
  email: emailAddress,
  subject: z.pipe(
    z.optional(optionalLine(255)),
    z.transform(subject => subject || null),
  ),
  message: requiredText(10_000),
})
export type SubmissionInput = z.output<typeof SubmissionInput>

export const contact = group(() => ({
  submitContact: endpoint({
    method: 'POST',
    path: '/api/v1/contact',
    summary: 'Send a message to the owner of the site',
    message: 'Message received.',
    limit: ownLimit('contact', 5),
    body: SubmissionInput,
    data: SubmissionView,
    status: 201,
    emits: ['contact.submitted'],
  }),
}))

export const adminContact = group(() => ({
  listSubmissions: endpoint({
    method: 'GET',
    path: '/api/v1/admin/contact',
    audience: 'admin',
    summary: 'List contact messages, newest first',
    message: 'Messages.',
    query: pageQuery(),
    data: z.array(SubmissionView),
    isPaginated: true,
  }),
  deleteSubmission: endpoint({
    method: 'DELETE',
    path: '/api/v1/admin/contact/{id}',
    audience: 'admin',
    summary: 'Delete a contact message permanently',
    message: 'Message deleted.',
    params: z.object({ id: Id }),
    data: EmptyData,
  }),
}))
