// A post whose time has come is announced: once, whoever says it and however often it is said.
import { setTimeout as pause } from 'node:timers/promises'
import type { DueMessage } from '../../events/message.ts'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { indexMessages } from '../../search/doc.ts'
import { CONFLICT } from '../../table/action.ts'
import { postKey, scheduledKey } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { publishedEvent } from '../events.ts'
import { Post } from '../post.ts'

/** A queue's clock may run a little ahead of ours; what comes much too early, the sweep sends again. */
const LONGEST_WAIT_MS = 2_000

/** The event and the note that it was told are one transaction; an edit in between tells it itself. */
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
      messages: indexMessages(null, { ...post, announced: true }),
    })
  })
}
