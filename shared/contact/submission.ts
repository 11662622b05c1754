// The record of a contact submission. No I/O.
import * as z from 'zod/mini'

export const Submission = z.object({
  id: z.int(),
  name: z.string(),
  email: z.string(),
  subject: z.nullable(z.string()),
  message: z.string(),
  created_at: z.int(),
})
export type Submission = z.infer<typeof Submission>
