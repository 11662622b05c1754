// Fires `post.published` when a scheduled post becomes due, or `page.published`. Idempotent.
import { setTimeout as pause } from 'node:timers/promises'
import type { DueMessage } from '../../events/message.ts'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { indexMessages } from '../../search/document.ts'
import { CONFLICT } from '../../table/action.ts'
import { postKey, scheduledKey } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { publishedEvent } from '../events.ts'
import { Post } from '../post.ts'

/** The clock of a queue may be this far ahead. The sweep repeats a message that arrives even earlier. */
const LONGEST_WAIT_MS = 2_000

/** Does nothing if an edit has fired the event first or has changed the time of publication. */
export async function announceDue(work: UnitOfWork, due: DueMessage): Promise<void> {
  const earlyMs = due.posted_at * 1000 - work.nowMs
  if (earlyMs > LONGEST_WAIT_MS) return
  if (earlyMs > 0) await pause(earlyMs)
  const siteUrl = await work.siteUrl()
  await retryOnConflict(async () => {
    const post = await work.table.find(postKey(due.post_id), Post)
    if (!post?.is_published || post.announced || post.posted_at !== due.posted_at) return
    await work.commit({
      actions: [
        {
          onConditionFailed: CONFLICT,
          Update: {
            Key: postKey(post.id),
            UpdateExpression: 'SET announced = :yes, revision = revision + :one',
            ConditionExpression: 'revision = :r',
            ExpressionAttributeValues: { ':yes': true, ':one': 1, ':r': post.revision },
          },
        },
        { Delete: { Key: scheduledKey(post.posted_at, post.id) } },
      ],
      events: [publishedEvent(post, siteUrl, post.posted_at)],
      // A post belongs in the search index from its announcement on.
      messages: indexMessages(null, { ...post, announced: true }),
    })
  })
}
