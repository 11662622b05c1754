// The record of a contact submission, its list, event and view. No I/O.
import * as z from 'zod/mini'
import type { DomainEvent } from '../events/catalogue.ts'
import { isoTime } from '../http/time.ts'
import { type ListEntry, newestFirst } from '../lists/counted-list.ts'
import { timeOrder } from '../table/design.ts'
import type { SubmissionView } from './contract.ts'

export const Submission = z.object({
  id: z.int(),
  name: z.string(),
  email: z.string(),
  subject: z.nullable(z.string()),
  message: z.string(),
  created_at: z.int(),
})
export type Submission = z.infer<typeof Submission>

export const SUBMISSIONS = newestFirst('contact')

/** Every list of submissions. The doctor checks these. */
export function listsOfSubmissions() {
  return [SUBMISSIONS]
}

/** The entry only refers to the message, which may be long. */
export function listEntryOf({ id, created_at }: Submission): ListEntry {
  return { list: SUBMISSIONS, order: timeOrder(created_at, id), item: { id } }
}

/** Without the message, which only admins may read. */
export function eventOf({ id, name, email, subject }: Submission, siteUrl: string): DomainEvent {
  return {
    event: 'contact.submitted',
    data: { id, url: siteUrl, name, email, subject },
  }
}

export function submissionView({ created_at, ...fields }: Submission): SubmissionView {
  return {
    ...fields,
    created_at: isoTime(created_at),
  }
}
