// A contact submission as the API shows it. No I/O.
import { isoTime } from '../http/time.ts'
import type { SubmissionView } from './contract.ts'
import type { Submission } from './submission.ts'

export function submissionView({ created_at, ...fields }: Submission): SubmissionView {
  return {
    ...fields,
    created_at: isoTime(created_at),
  }
}
