// Works off a replay in steps: each asks for the next attempts, once those of the step before have ended.
import type { TidyMessage } from '../../events/message.ts'
import { requireSent } from '../../events/sender.ts'
import type { JobContext } from '../../runtime/job.ts'
import { type Action, CONFLICT } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { ignoreConditionFailed } from '../../table/conditions.ts'
import { replayKey } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { MAX_ATTEMPTS, nextAttempt, redeliveryMessage } from '../redelivery.ts'
import { type ReplayRecord, WINDOW } from '../replay.ts'
import { findReplay, listChosen, listUnended, withEvents } from '../store/replays.ts'
import { findWebhook } from '../store/webhooks.ts'

export type ReplayMessage = Extract<TidyMessage, { kind: 'replay' }>

/**
 * How often a replay looks whether its last attempts have ended. It takes no more than one step in this time,
 * so that a quick receiver does not make it delay the deliveries of others.
 */
const LOOK_SECONDS = 1

/** Does nothing for a message of a step that was done. It may be repeated, also side by side. */
export async function stepReplay(job: JobContext, message: ReplayMessage): Promise<void> {
  const { table, sender, nowMs } = job
  const replay = await findReplay(table, message.webhook_id, nowMs)
  if (!replay || replay.id !== message.id || replay.step !== message.step) return
  if ((await listUnended(table, replay)).length === 0) return await takeStep(job, message)
  const sent = await sender.send([{ queue: 'tidy', body: message, delaySeconds: LOOK_SECONDS }])
  requireSent(sent, `messages of the replay ${replay.id}`)
}

/** In one transaction: the attempts, the position behind them, and the messages. */
async function takeStep({ table, work, nowMs }: JobContext, message: ReplayMessage): Promise<void> {
  await retryOnConflict(async () => {
    const replay = await findReplay(table, message.webhook_id, nowMs)
    if (!replay || replay.id !== message.id || replay.step !== message.step) return
    const webhook = await findWebhook(table, { ownerId: replay.owner_id, id: replay.webhook_id })
    // What was not sent before a pause or a deletion is not sent at all.
    if (!webhook?.is_active) return await endReplay(table, replay)
    const span = { webhookId: replay.webhook_id, choice: replay, position: replay.position, nowMs }
    const chosen = await listChosen(table, span, WINDOW)
    const firsts = chosen.firsts.filter(({ attempts }) => attempts < MAX_ATTEMPTS)
    const next = (await withEvents(table, firsts, nowMs)).map(first => nextAttempt(first, nowMs))
    if (next.length === 0 && chosen.isEnd) return await endReplay(table, replay)
    const asked = next.map(({ ref }) => ref)
    const step = replay.step + 1
    await work.commit({
      actions: [
        ...next.flatMap(({ actions }) => actions),
        moveReplay(replay, { step, position: chosen.position, asked }),
      ],
      messages: [
        ...(asked.length > 0 ? [redeliveryMessage(replay, asked)] : []),
        {
          queue: 'tidy',
          body: { ...message, step },
          ...(asked.length > 0 && { delaySeconds: LOOK_SECONDS }),
        },
      ],
    })
  })
}

function isAtStep({ id, step }: ReplayRecord) {
  return {
    ConditionExpression: 'id = :id AND step = :step',
    ExpressionAttributeValues: { ':id': id, ':step': step },
  }
}

function moveReplay(
  replay: ReplayRecord,
  { step, position, asked }: Pick<ReplayRecord, 'step' | 'position' | 'asked'>,
): Action {
  const { ConditionExpression, ExpressionAttributeValues } = isAtStep(replay)
  return {
    onConditionFailed: CONFLICT,
    Update: {
      Key: replayKey(replay.webhook_id),
      UpdateExpression: 'SET step = :next, #position = :position, asked = :asked',
      ConditionExpression,
      ExpressionAttributeNames: { '#position': 'position' },
      ExpressionAttributeValues: {
        ...ExpressionAttributeValues,
        ':next': step,
        ':position': position,
        ':asked': asked,
      },
    },
  }
}

export async function endReplay(table: Table, replay: ReplayRecord): Promise<void> {
  const Delete = { Key: replayKey(replay.webhook_id), ...isAtStep(replay) }
  await table.write({ Delete }).catch(ignoreConditionFailed)
}
