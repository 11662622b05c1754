// The endpoints of the contact form: sending a message, and reading messages as an admin.
import * as z from 'zod/mini'
import { ownLimit } from '../http/audience.ts'
import { emailAddress } from '../http/email.ts'
import { EmptyData, endpoint, group } from '../http/endpoint.ts'
import { members, named } from '../http/members.ts'
import { byId, pageParameters } from '../http/parameters.ts'
import { optionalLine, requiredLine, requiredText } from '../http/text.ts'
import { Time } from '../http/time.ts'

export const SubmissionView = named(
  'ContactSubmission',
  members({
    id: [z.int(), 'Numeric id.'],
    name: [z.string(), 'Name of the sender.'],
    email: [z.string(), 'E-mail address of the sender. It is not verified.'],
    subject: [z.nullable(z.string()), 'Subject; null if there is none.'],
    message: [z.string(), 'The message as plain text, as it was written.'],
    created_at: [Time, 'When it was sent, in UTC.'],
  }),
)
export type SubmissionView = z.infer<typeof SubmissionView>

export const SubmissionInput = members({
  name: [requiredLine(255), 'Name of the sender: one line of 1 to 255 characters.', 'Ada'],
  email: [emailAddress, 'E-mail address for an answer, at most 254 characters.', 'ada@example.com'],
  subject: [
    z.pipe(
      z.optional(optionalLine(255)),
      z.transform(subject => subject || null),
    ),
    'One line of at most 255 characters. Null or empty: none.',
    'Opening hours',
  ],
  message: [requiredText(10_000), 'Plain text of 1 to 10,000 characters.', 'When are you open?'],
})
export type SubmissionInput = z.output<typeof SubmissionInput>

const WRITTEN = {
  name: 'Ada',
  email: 'ada@example.com',
  subject: 'Opening hours',
  message: 'When are you open?',
}
const MESSAGE = { id: 1, ...WRITTEN, created_at: '2026-05-26T15:00:00+00:00' }

export const contact = group({ public: 'The contact form.' }, () => ({
  submitContact: endpoint({
    method: 'POST',
    path: '/api/v1/contact',
    summary: 'Send a message to the owner of the site',
    description: 'Keeps the message for admins and answers with it. Its event does not carry the message.',
    message: 'Message received.',
    limit: ownLimit('contact', 5),
    body: SubmissionInput,
    data: SubmissionView,
    status: 201,
    emits: ['contact.submitted'],
    example: { body: WRITTEN, data: MESSAGE },
  }),
}))

export const adminContact = group(
  { admin: 'Messages of the contact form. Needs the ability `admin`.' },
  () => ({
    listSubmissions: endpoint({
      method: 'GET',
      path: '/api/v1/admin/contact',
      audience: 'admin',
      summary: 'List contact messages, newest first',
      message: 'Messages.',
      query: members(pageParameters()),
      data: z.array(SubmissionView),
      example: { data: [MESSAGE] },
    }),
    deleteSubmission: endpoint({
      method: 'DELETE',
      path: '/api/v1/admin/contact/{id}',
      audience: 'admin',
      summary: 'Delete a contact message permanently',
      message: 'Message deleted.',
      params: byId('message'),
      data: EmptyData,
      example: { params: { id: 1 } },
    }),
  }),
)
