// Sends for scheduled posts that are due soon, and fires `post.published` or `page.published` once they are.
import { setTimeout as pause } from 'node:timers/promises'
import type { DueMessage } from '../../events/message.ts'
import { requireSent, type Sender } from '../../events/sqs.ts'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { measure } from '../../metrics/tally.ts'
import { indexChange } from '../../search/index-actions.ts'
import { CONFLICT, ConditionFailed, changeOf } from '../../table/action.ts'
import { unpackText } from '../../table/blob.ts'
import type { Table } from '../../table/client.ts'
import { postKey, scheduledKey } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { publishedEvent } from '../events.ts'
import { textOf } from '../html-text.ts'
import { dueNote } from '../post.ts'
import { findPostToChange } from '../store/bodies.ts'
import { listComingDue } from '../store/scheduled.ts'
import { countPublicPosts } from './commit.ts'

/** The clock of a queue may be this far ahead. The sweep repeats a message that arrives even earlier. */
const LONGEST_WAIT_MS = 2_000

/**
 * Does nothing if an edit has fired the event first or has changed the time of publication. `isFired`: it was
 * fired already, before the table was restored to an earlier moment.
 */
export async function announceDue(work: UnitOfWork, due: DueMessage, isFired = false): Promise<void> {
  const earlyMs = due.posted_at * 1000 - work.nowMs
  if (earlyMs > LONGEST_WAIT_MS) return
  if (earlyMs > 0) await pause(earlyMs)
  const siteUrl = await work.siteUrl()
  await retryOnConflict(async () => {
    const stored = await findPostToChange(work.table, due.post_id)
    if (!stored) return
    const { post } = stored
    if (!post.is_published || post.announced || post.posted_at !== due.posted_at) return
    const body = await unpackText(work.table, stored.bodyItem)
    if (body === undefined) throw new ConditionFailed([CONFLICT])
    const after = { ...post, announced: true, revision: post.revision + 1 }
    // A post belongs in the search index from its announcement on.
    const indexing = await indexChange(
      { before: post, after, text: () => textOf(body) },
      stored.doc,
      work.nowMs,
    )
    await work.commit({
      actions: [
        { onConditionFailed: CONFLICT, Update: { Key: postKey(post.id), ...changeOf(post, after) } },
        { Delete: { Key: scheduledKey(due.posted_at, post.id) } },
        ...countPublicPosts(post, after),
        ...indexing.actions,
      ],
      // Nothing that readers see changes: they have seen the post since its second.
      public: { notes: [dueNote(post)] },
      events: isFired ? [] : [publishedEvent(post, siteUrl, due.posted_at)],
      messages: indexing.messages,
    })
  })
}

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
