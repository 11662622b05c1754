// Sends deliveries of a subscription again, which a person asked for: each attempt at most once.
import { wasListening } from '../../accounts/ban.ts'
import type { RedeliveryMessage } from '../../events/message.ts'
import type { JobContext } from '../../runtime/job.ts'
import { type AttemptRef, INTERRUPTED, stateOfClaim } from '../delivery.ts'
import { redeliveryMessage } from '../redelivery.ts'
import { findEvents } from '../store/kept-events.ts'
import { findSubscribers } from '../store/subscribers.ts'
import { attemptOnce, endClaim } from './attempt.ts'
import { findClaim } from './deliveries.ts'
import { finaliseDelivery } from './finalise.ts'
import { sideBySide } from './side-by-side.ts'

/** The subscription must exist, be active and have an owner who is an unbanned admin, at this moment. */
export async function sendAgain(
  { webhook_id, owner_id, attempts }: RedeliveryMessage,
  job: JobContext,
): Promise<void> {
  const ids = attempts.map(({ event_id }) => event_id)
  const start = (context: JobContext) => {
    const { table, nowMs } = context
    const readMs = performance.now()
    const finding = Promise.all([
      findSubscribers(table, { refs: [{ id: webhook_id, owner_id }], nowMs }),
      findEvents(table, ids, nowMs),
    ])
    return async ({ event_id, attempt, sk }: RedeliveryMessage['attempts'][number]): Promise<void> => {
      const [[subscriber], events] = await finding
      const ref = { webhook_id, owner_id, event_id, later: { attempt, sk } }
      const { webhook, owner } = subscriber ?? {}
      const event = events.get(event_id)
      if (!webhook?.is_active || !owner || !wasListening(owner, nowMs, nowMs)) {
        await endUnsent(context, ref, 'It was not sent: the subscription does not get events any more.')
      } else if (!event) {
        await endUnsent(context, ref, 'It was not sent: the event has left the log.')
      } else {
        await attemptOnce({ ...context, readMs }, webhook, event, ref)
      }
    }
  }
  await sideBySide(job, attempts, start, some => redeliveryMessage({ webhook_id, owner_id }, some))
}

/** It fails without a request, unless an earlier message has sent it. */
async function endUnsent(context: JobContext, delivery: AttemptRef, detail: string): Promise<void> {
  const { table, nowMs } = context
  const record = await findClaim(table, delivery)
  if (record?.status === 'queued') {
    const outcome = { ...INTERRUPTED, detail }
    await finaliseDelivery(table, { delivery, outcome, nowMs, isUnsent: true })
  } else if (record) {
    await endClaim(context, delivery, stateOfClaim(record, nowMs))
  }
}
