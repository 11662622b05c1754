// Works off a replay in steps: each asks for the next attempts, once those of the step before have ended. The
// replays of all owners take turns, a step a second.
import type { StepMessage } from '../../events/message.ts'
import { requireSent } from '../../events/sender.ts'
import type { JobContext } from '../../runtime/job.ts'
import { type Action, CONFLICT, type WriteAction } from '../../table/action.ts'
import type { Table } from '../../table/client.ts'
import { ignoreConditionFailed } from '../../table/conditions.ts'
import { replayKey, replayTurnKey } from '../../table/design.ts'
import { retryOnConflict } from '../../table/retry-on-conflict.ts'
import { WINDOW } from '../fields.ts'
import { MAX_ATTEMPTS, nextAttempt, redeliveryMessage } from '../redelivery.ts'
import { type ReplayRecord, type ReplayTurn, reserveStep } from '../replay.ts'
import { findReplay, findTurn, listChosen, mayStep, withEvents } from '../store/replays.ts'
import { findWebhook } from '../store/webhooks.ts'

export type ReplayMessage = Extract<StepMessage, { kind: 'replay' }>

/** Does nothing for a message of a step that was done. It may be repeated, also side by side. */
export async function stepReplay(job: JobContext, message: ReplayMessage): Promise<void> {
  const { table, nowMs } = job
  await retryOnConflict(async () => {
    const replay = await findReplay(table, message.webhook_id, nowMs)
    if (!replay || replay.id !== message.id || replay.step !== message.step) return
    const turn = await findTurn(table)
    const may = await mayStep(table, replay, turn, nowMs)
    await (may ? takeStep(job, message, replay, turn) : waitForTurn(job, message, turn))
  })
}

async function waitForTurn({ table, sender, nowMs }: JobContext, message: ReplayMessage, turn: ReplayTurn) {
  const { delaySeconds, free_ms } = reserveStep(turn, nowMs)
  await table.write(putTurn(turn, { ...turn, free_ms }))
  const sent = await sender.send([{ queue: 'jobs', body: message, delaySeconds }])
  requireSent(sent, `messages of the replay ${message.id}`)
}

/** In one transaction: the attempts, the position behind them, the turn, and the messages. */
async function takeStep(
  { table, work, nowMs }: JobContext,
  message: ReplayMessage,
  replay: ReplayRecord,
  turn: ReplayTurn,
): Promise<void> {
  const webhook = await findWebhook(table, { ownerId: replay.owner_id, id: replay.webhook_id })
  // What was not sent before a pause or a deletion is not sent at all.
  if (!webhook?.is_active) return await endReplay(table, replay)
  const span = { webhookId: replay.webhook_id, choice: replay, position: replay.position, nowMs }
  const chosen = await listChosen(table, span, WINDOW)
  const firsts = chosen.firsts.filter(({ attempts }) => attempts < MAX_ATTEMPTS)
  const next = (await withEvents(table, firsts, nowMs)).map(first => nextAttempt(first, nowMs))
  if (next.length === 0 && chosen.isEnd) return await endReplay(table, replay)
  const asked = next.map(({ ref }) => ref)
  const body = { ...message, step: replay.step + 1 }
  const move = moveReplay(replay, { step: body.step, position: chosen.position, asked })
  if (asked.length === 0) {
    await work.commit({ actions: [move], messages: [{ queue: 'jobs', body }] })
    return
  }
  const { delaySeconds, free_ms } = reserveStep(turn, nowMs)
  const taken = putTurn(turn, { webhook_id: replay.webhook_id, taken_ms: nowMs, free_ms })
  await work.commit({
    actions: [...next.flatMap(({ actions }) => actions), move, taken],
    messages: [redeliveryMessage(replay, asked), { queue: 'jobs', body, delaySeconds }],
  })
}

/** Unless another replay has reserved or taken a step since the turn was read. */
function putTurn({ taken_ms, free_ms }: ReplayTurn, after: ReplayTurn): WriteAction {
  return {
    onConditionFailed: CONFLICT,
    Put: {
      Item: { ...replayTurnKey, ...after },
      ConditionExpression: 'attribute_not_exists(pk) OR (taken_ms = :taken AND free_ms = :free)',
      ExpressionAttributeValues: { ':taken': taken_ms, ':free': free_ms },
    },
  }
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
