// Descriptions of the members of contact messages, and of the parameters of their endpoints.
import { type Description, describes, pageTexts } from '../http/descriptions.ts'
import { adminContact, SubmissionInput, SubmissionView } from './contract.ts'

export const CONTACT_DESCRIPTIONS: Description[] = [
  describes(SubmissionView, {
    id: 'Numeric id.',
    name: 'Name of the sender.',
    email: 'E-mail address of the sender. It is not verified.',
    subject: 'Subject; null if there is none.',
    message: 'The message as plain text, as it was written.',
    created_at: 'When it was sent, in UTC.',
  }),
  describes(SubmissionInput, {
    name: ['Name of the sender: one line of 1 to 255 characters.', 'Ada'],
    email: ['E-mail address for an answer, at most 254 characters.', 'ada@example.com'],
    subject: ['One line of at most 255 characters. Null or empty: none.', 'Opening hours'],
    message: ['Plain text of 1 to 10,000 characters.', 'When are you open?'],
  }),
  describes(adminContact.listSubmissions.query, pageTexts()),
  describes(adminContact.deleteSubmission.params, { id: 'Id of the message.' }),
]
