// Guides to the endpoints of the contact form, with an example of each.
import { type Guide, guideOf } from '../http/guide.ts'
import { adminContact, contact } from './contract.ts'

const WRITTEN = {
  name: 'Ada',
  email: 'ada@example.com',
  subject: 'Opening hours',
  message: 'When are you open?',
}
const MESSAGE = { id: 1, ...WRITTEN, created_at: '2026-05-26T15:00:00+00:00' }

export const CONTACT_GUIDES: Guide[] = [
  ...guideOf(contact, {
    submitContact: {
      description: 'Keeps the message for admins and answers with it. Its event does not carry the message.',
      body: WRITTEN,
      data: MESSAGE,
    },
  }),
  ...guideOf(adminContact, {
    listSubmissions: { data: [MESSAGE] },
    deleteSubmission: { params: { id: 1 } },
  }),
]
