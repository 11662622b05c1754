// Sends a message for each scheduled post that is due soon, which is delivered when the post is due.
import { requireSent, type Sender } from '../../events/sqs.ts'
import { measure } from '../../metrics/tally.ts'
import type { Table } from '../../table/client.ts'
import { listComingDue } from '../store/scheduled.ts'

/** Up to three sweeps find the same post, because schedules run late and may skip a minute. */
const LOOK_AHEAD_SECONDS = 180
const MAX_DUE = 2_000

/** May send a post up to three times. The consumer fires its event once. */
export async function sendDue(context: { table: Table; sender: Sender; nowMs: number }): Promise<void> {
  const { table, sender, nowMs } = context
  const due = await listComingDue(table, Math.floor(nowMs / 1000) + LOOK_AHEAD_SECONDS, MAX_DUE)
  // The post that is due for longest, if its event is not fired yet.
  const overdueMs = nowMs - (due[0]?.posted_at ?? Number.POSITIVE_INFINITY) * 1000
  measure('SchedulesLateSeconds', Math.max(0, Math.floor(overdueMs / 1000)))
  const sent = await sender.send(
    due.map(({ id, posted_at }) => ({
      queue: 'events',
      delaySeconds: Math.max(0, Math.ceil((posted_at * 1000 - nowMs) / 1000)),
      body: { kind: 'due', post_id: id, posted_at },
    })),
  )
  requireSent(sent, 'due posts')
}
