// The event of a new contact submission. No I/O.
import type { DomainEvent } from '../events/catalogue.ts'
import type { Submission } from './submission.ts'

/** Without the message, which only admins may read. */
export function eventOf({ id, name, email, subject }: Submission, siteUrl: string): DomainEvent {
  return {
    event: 'contact.submitted',
    data: { id, url: siteUrl, name, email, subject },
  }
}
