// The guide to the contact form: texts and examples of its endpoints, and texts of the members.
import { describes } from '../http/descriptions.ts'
import { guideOf, type SliceGuide } from '../http/guide.ts'
import { adminContact, contact, SubmissionInput, SubmissionView } from './contract.ts'

const WRITTEN = {
  name: 'Ada',
  email: 'ada@example.com',
  subject: 'Opening hours',
  message: 'When are you open?',
}
const MESSAGE = { id: 1, ...WRITTEN, created_at: '2026-05-26T15:00:00+00:00' }

export const CONTACT_GUIDE: SliceGuide = {
  tags: {
    contact: 'The contact form.',
    'admin: contact': 'Messages of the contact form. Needs the ability `admin`.',
  },
  endpoints: [
    ...guideOf(contact, {
      submitContact: {
        description:
          'Keeps the message for admins and answers with it. Its event does not carry the message.',
        body: WRITTEN,
        data: MESSAGE,
      },
    }),
    ...guideOf(
      adminContact,
      { listSubmissions: { data: [MESSAGE] }, deleteSubmission: { params: { id: 1 } } },
      { id: 'Id of the message.' },
    ),
  ],
  members: [
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
  ],
}
