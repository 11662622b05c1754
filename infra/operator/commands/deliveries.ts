// Commands for the deliveries of a subscription: to list them, and to send them again.
import * as z from 'zod/mini'
import { ApiError } from '../../../shared/http/errors.ts'
import { TimeInput } from '../../../shared/http/time.ts'
import { redeliver } from '../../../shared/webhooks/commands/redeliver.ts'
import { redeliverAll } from '../../../shared/webhooks/commands/replay.ts'
import { deliveryView } from '../../../shared/webhooks/delivery.ts'
import type { Delivery } from '../../../shared/webhooks/fields.ts'
import { listAttempts } from '../../../shared/webhooks/store/log.ts'
import { command, flag, value } from '../command.ts'
import { columns } from '../escape.ts'
import { OperatorError } from '../operator-error.ts'
import { isSuspended } from '../suspended-webhooks.ts'
import { unitOfWorkOf } from '../unit-of-work.ts'
import { findSubscription, ID } from './webhooks.ts'

const FAILED = flag('only deliveries whose attempt failed')
const SHOWN = 50

function deliveryLine({ id, status, event, occurred_at, response_status, error_detail }: Delivery): string {
  return columns([id, status, occurred_at, event, response_status ?? '-', error_detail ?? ''])
}

const list = command({
  name: 'webhooks deliveries',
  summary: `List the last ${SHOWN} deliveries to a subscription, newest first, tab-separated`,
  args: { id: ID },
  options: { failed: FAILED },
  run: async ({ id, failed }, { target: { table }, nowMs }) => {
    await findSubscription(table, id)
    const isWanted = ({ status }: { status: string }) => status === 'failed'
    const query = { webhookId: id, nowMs, limit: SHOWN, ...(failed && { isWanted }) }
    const shown = (await listAttempts(table, query)).attempts.map(deliveryView)
    return { lines: shown.map(deliveryLine), json: shown }
  },
})

const SUSPENDED =
  'The subscription is suspended: its owner is banned or has no admin token. Lift the ban or create a token: token create'

const send = command({
  name: 'webhooks redeliver',
  summary: 'Send a delivery again, or with --since all failed ones from that time on',
  args: {
    id: ID,
    delivery: value(
      'DELIVERY',
      'id of a delivery, as listed by: webhooks deliveries',
      z.optional(z.string()),
    ),
  },
  options: {
    since: value('TIME', 'time of the first event, as 2026-05-26T15:00:00Z', z.optional(TimeInput)),
  },
  problemOf: ({ delivery, since }) =>
    (delivery === undefined) === (since === undefined)
      ? 'Name either a DELIVERY or a time with --since.'
      : undefined,
  run: async ({ id, delivery, since }, context) => {
    const ref = await findSubscription(context.target.table, id)
    if (await isSuspended(context, ref.ownerId)) throw new OperatorError(SUSPENDED)
    const work = unitOfWorkOf(context)
    if (delivery !== undefined) {
      const { data } = await redeliver(work, ref, delivery).catch(asOperatorError)
      return { lines: [`Queued ${data.id}.`], json: data }
    }
    const choice = { since: since ?? 0, status: 'failed' as const }
    const { data } = await redeliverAll(work, ref, choice).catch(asOperatorError)
    const many = data.matched === 1 ? '1 delivery is' : `${data.matched} deliveries are`
    return { lines: [`${many} sent again, oldest first.`], json: data }
  },
})

/** The rules of the API, in its words. */
function asOperatorError(error: unknown): never {
  if (!(error instanceof ApiError)) throw error
  const faults = Object.entries(error.fields ?? {}).map(([name, [fault]]) => `${name}: ${fault}`)
  throw new OperatorError(faults.join('\n') || error.message)
}

export const DELIVERY_COMMANDS = [list, send]
