// The event of a custom resource, and the answer that CloudFormation waits for.
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'
import '../http/zod-messages.ts'

const ResourceEvent = z.object({
  RequestType: z.enum(['Create', 'Update', 'Delete']),
  /** A presigned URL. It is a secret, so it is never logged. */
  ResponseURL: z.url(),
  StackId: z.string(),
  RequestId: z.string(),
  LogicalResourceId: z.string(),
  /** Missing in a Create. */
  PhysicalResourceId: z._default(z.string(), 'smoke-test'),
  ResourceProperties: z.unknown(),
})
export type ResourceEvent = z.output<typeof ResourceEvent>

export type Outcome = { Status: 'SUCCESS' } | { Status: 'FAILED'; Reason: string }

/** CloudFormation accepts 4,096 bytes for the whole answer. */
const LONGEST_REASON = 2_000
const ATTEMPTS = 3
const LIMIT_MS = 4_000
const PAUSE_MS = 500

/** Throws an error without the values of the event. */
export function readEvent(event: unknown): ResourceEvent {
  const read = ResourceEvent.safeParse(event)
  if (read.success) return read.data
  throw new Error(`The event is not of a custom resource:\n${z.prettifyError(read.error)}`)
}

export async function answerTo(event: ResourceEvent, outcome: Outcome): Promise<void> {
  const { StackId, RequestId, LogicalResourceId, PhysicalResourceId } = event
  const { Status } = outcome
  const Reason = 'Reason' in outcome ? outcome.Reason.slice(0, LONGEST_REASON) : undefined
  const answer = { Status, Reason, StackId, RequestId, LogicalResourceId, PhysicalResourceId }
  // As bytes, because a text has a content type, which the signature of the URL does not include.
  const body = new TextEncoder().encode(JSON.stringify(answer))
  let problem = ''
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if (attempt > 1) await pause(PAUSE_MS)
    try {
      const signal = AbortSignal.timeout(LIMIT_MS)
      const { ok, status } = await fetch(event.ResponseURL, { method: 'PUT', body, signal })
      if (ok) return
      problem = `status ${status}`
    } catch (error) {
      // Messages of these errors may contain the URL.
      problem = error instanceof Error ? error.name : 'no answer'
    }
  }
  throw new Error(`CloudFormation did not take the answer: ${problem}.`)
}
