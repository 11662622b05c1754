// Fires `post.published` when a scheduled post becomes due, or `page.published`. Idempotent.
import { setTimeout as pause } from 'node:timers/promises'
import type { DueMessage } from '../../events/message.ts'
import type { UnitOfWork } from '../../events/unit-of-work.ts'
import { indexActions } from '../../search/commands/index-actions.ts'
import { indexMessages } from '../../search/document.ts'
import { CONFLICT, ConditionFailed } from '../../table/action.ts'
import { unpackText } from '../../table/blob.ts'
import { postKey, scheduledKey } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { publishedEvent } from '../events.ts'
import { dueNote } from '../note.ts'
import { findPostToChange } from '../store/bodies.ts'
import { countPublicPosts } from './commit.ts'

/** The clock of a queue may be this far ahead. The sweep repeats a message that arrives even earlier. */
const LONGEST_WAIT_MS = 2_000

/**
 * Does nothing if an edit has fired the event first or has changed the time of publication. `isFired`: the
 * event was fired before, of a table that was restored to an earlier moment.
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
    const write = { before: post, after, body, stored: stored.doc }
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
        { Delete: { Key: scheduledKey(due.posted_at, post.id) } },
        ...countPublicPosts([write]),
        // A post belongs in the search index from its announcement on.
        ...(await indexActions(write, work.nowMs)),
      ],
      // Nothing that readers see changes: they have seen the post since its second.
      public: { notes: [dueNote(post)] },
      events: isFired ? [] : [publishedEvent(post, siteUrl, due.posted_at)],
      messages: indexMessages(null, after),
    })
  })
}
