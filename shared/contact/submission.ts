// The rules of contact submissions: their record, their place, their view, their event. No I/O.
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

export function listEntryOf(submission: Submission): ListEntry {
  return {
    list: SUBMISSIONS,
    order: timeOrder(submission.created_at, submission.id),
    item: submission,
  }
}

export function submissionView({ created_at, ...given }: Submission): SubmissionView {
  return {
    ...given,
    created_at: isoTime(created_at),
  }
}

/** Without the message, which is for the owner alone. */
export function eventOf({ id, name, email, subject }: Submission, siteUrl: string): DomainEvent {
  return {
    event: 'contact.submitted',
    data: { id, url: siteUrl, name, email, subject },
  }
}
