// The state of a mail: claimed before its one attempt, final after it. The address is never stored.
import * as z from 'zod/mini'
import type { MailMessage } from '../events/message.ts'
import { scaled } from '../http/audience.ts'
import { clientKey, consume, type LimitResult, planRequest } from '../limits/limiter.ts'
import { CONFLICT, isNew } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { isRunning } from '../table/concurrency.ts'
import { mailKey } from '../table/design.ts'
import { retryOnConflict } from '../table/retry-on-conflict.ts'

/** Mails of a kind to one mailbox in any hour: anyone may request mails to any address. */
const MAX_PER_HOUR = 3
const HOUR_MS = 60 * 60 * 1000
/**
 * All mails of a kind in an hour. 24 times their sum is the first daily quota of SES in production. One limit
 * per kind, so that newsletter mails cannot use up the mails that users need to log in.
 */
const MAX_PER_KIND: Record<MailMessage['kind'], number> = {
  'confirm-newsletter': 1_000,
  'verify-email': 500,
  'reset-password': 500,
  'webhook-failing': 500,
}
const RETENTION_SECONDS = 30 * 24 * 60 * 60
/** Longer than the function runs and shorter than a message is hidden: an older claim was interrupted. */
const LEASE_MS = 60_000

/** How an attempt ended. An `unknown` mail may have been sent, so it is never sent again. */
export type MailEnd = 'sent' | 'no_sender' | 'rejected' | 'unknown'

type Status = z.output<typeof MailRecord>['status']
const MailRecord = z.object({
  status: z.enum(['sending', 'released', 'sent', 'no_sender', 'rejected', 'unknown']),
  /** When the status last changed. */
  changed_ms: z.number(),
})

type ClaimContext = {
  table: Table
  /** The key of the HMAC of the address. */
  key: string
  nowMs: number
  /** Factor of the limit. */
  scale: number
}

/** `name+anything@host` counts as `name@host`, since both reach one mailbox. */
function mailboxOf(address: string): string {
  return address.replace(/^([^+]+)\+.*(?=@)/, '$1')
}

/** An earlier message for the same mail is `open` while it may be sending, then `ended` or `interrupted`. */
type Claim = 'claimed' | 'limited' | 'over_ceiling' | 'open' | 'ended' | 'interrupted'

/**
 * Counts and claims a mail in one transaction, so that a repeated message counts once. `limited` is the limit
 * of the mailbox, `over_ceiling` that of all mails. A mail whose function died becomes `unknown` here.
 */
export function claimMail(
  { table, key, nowMs, scale }: ClaimContext,
  { id, kind }: MailMessage,
  foldedAddress: string,
): Promise<Claim> {
  let counting: Promise<LimitResult> | undefined
  return retryOnConflict(async () => {
    const record = await table.find(mailKey(id), MailRecord)
    const change = (before: Status, after: Status) =>
      table.transact([{ onConditionFailed: CONFLICT, Update: changeStatus(id, before, after, nowMs) }])
    if (record?.status === 'released') {
      await change('released', 'sending')
      return 'claimed'
    }
    if (record?.status === 'sending') {
      if (isRunning(record.changed_ms, LEASE_MS, nowMs)) return 'open'
      await change('sending', 'unknown')
      return 'interrupted'
    }
    if (record) return 'ended'
    const client = clientKey(mailboxOf(foldedAddress), key)
    const mailbox = { scope: `mail-${kind}`, client, max: scaled(MAX_PER_HOUR, scale), windowMs: HOUR_MS }
    const request = await planRequest(table, mailbox, nowMs)
    if (!request.isAllowed) return 'limited'
    const max = scaled(MAX_PER_KIND[kind], scale)
    counting ??= consume(table, { scope: `mail-all-${kind}`, client: 'all', max, windowMs: HOUR_MS }, nowMs)
    if (!(await counting).isAllowed) return 'over_ceiling'
    const expires = Math.ceil(nowMs / 1000) + RETENTION_SECONDS
    const Item = { ...mailKey(id), kind, status: 'sending', changed_ms: nowMs, expires, schema: 1 }
    await table.transact([request.action, { onConditionFailed: CONFLICT, Put: { Item, ...isNew } }])
    return 'claimed'
  })
}

/** `released`: SES did not accept it. The next attempt claims it again without counting it again. */
export function endMail(
  table: Table,
  id: string,
  ending: MailEnd | 'released',
  nowMs: number,
): Promise<void> {
  return table.transact([{ Update: changeStatus(id, 'sending', ending, nowMs) }])
}

function changeStatus(id: string, before: Status, after: Status, nowMs: number) {
  return {
    Key: mailKey(id),
    UpdateExpression: 'SET #status = :after, changed_ms = :now',
    ConditionExpression: '#status = :before',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':before': before, ':after': after, ':now': nowMs },
  }
}
