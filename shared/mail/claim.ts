// How mails are kept: claimed before the one attempt, final after it, without the address they went to.
import * as z from 'zod/mini'
import type { MailMessage } from '../events/message.ts'
import { clientKey } from '../limits/client-key.ts'
import { consume, type LimitResult } from '../limits/limiter.ts'
import { planRequest } from '../limits/sliding-window.ts'
import { CONFLICT } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { isNew } from '../table/conditions.ts'
import { limitKey, mailKey } from '../table/design.ts'
import { retryOnConflict } from '../table/retry-on-conflict.ts'

/** Of a kind, to one mailbox, in any hour: anybody may ask for mails to anybody's address. */
const MOST_PER_HOUR = 3
const HOUR_MS = 60 * 60 * 1000
/**
 * Of all mails of a kind, in an hour; 24 times their sum is what SES lets an account in production send a day at
 * first. Anybody may ask for mails of the newsletter: they must not use up those that let users in.
 */
const MOST_PER_KIND: Record<MailMessage['kind'], number> = {
  'confirm-newsletter': 1_000,
  'verify-email': 500,
  'reset-password': 500,
}
const RETENTION_SECONDS = 30 * 24 * 60 * 60
/** Longer than the function runs, and shorter than a message stays away: whoever holds a claim after it has died. */
const LEASE_MS = 60_000

/** What became of a mail that was handed to its post; `unknown`: it may have left, so it is never sent again. */
export type MailEnd = 'sent' | 'no_sender' | 'rejected' | 'unknown'

type Status = z.output<typeof MailRecord>['status']
const MailRecord = z.object({
  status: z.enum(['sending', 'released', 'sent', 'no_sender', 'rejected', 'unknown']),
  /** When it came to its status. */
  changed_ms: z.number(),
})

export type ClaimContext = {
  table: Table
  /** Keys the HMAC of the address. */
  key: string
  nowMs: number
  /** Times the limit. */
  scale: number
}

/**
 * What an earlier message for the same mail has come to. `interrupted`: whoever claimed it died with it, so that it
 * ends here, as `unknown`. Looked up before the mail is composed: by now there may be none to send.
 */
export function previousClaim(
  table: Table,
  id: string,
  nowMs: number,
): Promise<'ended' | 'open' | 'interrupted' | undefined> {
  return retryOnConflict(async () => {
    const record = await table.find(mailKey(id), MailRecord)
    if (!record || record.status === 'released') return undefined
    if (record.status !== 'sending') return 'ended'
    if (record.changed_ms + LEASE_MS > nowMs) return 'open'
    await table.transact([
      { onConditionFailed: CONFLICT, Update: changeStatus(id, 'sending', 'unknown', nowMs) },
    ])
    return 'interrupted'
  })
}

/** `name+anything@host` goes to `name@host`: of one mailbox, as it is counted. */
function mailboxOf(address: string): string {
  return address.replace(/^([^+]+)\+.*(?=@)/, '$1')
}

export type Claim = 'claimed' | 'limited' | 'over_ceiling' | 'open'

/**
 * Counts it for the mailbox and claims it, both or neither, so that a message which comes again counts once.
 * `limited`: the mailbox had its share. `over_ceiling`: all mails had theirs. `open`: somebody else was faster.
 */
export function claimMail(
  { table, key, nowMs, scale }: ClaimContext,
  { id, kind }: MailMessage,
  foldedAddress: string,
): Promise<Claim> {
  const scaled = (most: number): number => Math.max(1, Math.floor(most * scale))
  let counting: Promise<LimitResult> | undefined
  return retryOnConflict(async () => {
    const record = await table.find(mailKey(id), MailRecord)
    if (record && record.status !== 'released') return 'open'
    if (record) {
      await table.transact([
        { onConditionFailed: CONFLICT, Update: changeStatus(id, 'released', 'sending', nowMs) },
      ])
      return 'claimed'
    }
    const mailboxKey = limitKey(`mail-${kind}`, clientKey(mailboxOf(foldedAddress), key))
    const request = await planRequest(
      table,
      mailboxKey,
      { max: scaled(MOST_PER_HOUR), windowMs: HOUR_MS },
      nowMs,
    )
    if (!request.isAllowed) return 'limited'
    const all = { scope: `mail-all-${kind}`, kind: 'window', windowMs: HOUR_MS } as const
    counting ??= consume(table, all, 'all', scaled(MOST_PER_KIND[kind]), nowMs)
    if (!(await counting).isAllowed) return 'over_ceiling'
    const expires = Math.ceil(nowMs / 1000) + RETENTION_SECONDS
    const Item = { ...mailKey(id), kind, status: 'sending', changed_ms: nowMs, expires, schema: 1 }
    await table.transact([request.action, { onConditionFailed: CONFLICT, Put: { Item, ...isNew } }])
    return 'claimed'
  })
}

export function endMail(table: Table, id: string, ending: MailEnd, nowMs: number): Promise<void> {
  return table.transact([{ Update: changeStatus(id, 'sending', ending, nowMs) }])
}

/** For a mail that was not taken: the next attempt claims it again, and counts it no second time. */
export function releaseMail(table: Table, id: string, nowMs: number): Promise<void> {
  return table.transact([{ Update: changeStatus(id, 'sending', 'released', nowMs) }])
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
