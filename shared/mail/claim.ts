// How mails are kept: claimed before the one attempt, final after it, without the address they went to.
import { z } from 'zod'
import type { MailMessage } from '../events/message.ts'
import { clientKey } from '../lambda/client-key.ts'
import { planHit } from '../lambda/hit-log.ts'
import { STALE } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { deciding } from '../table/deciding.ts'
import { limitKey, mailKey } from '../table/design.ts'

/** Decisions, section 6: of a kind, to one address, in any hour. */
const MOST_PER_HOUR = 3
const HOUR_MS = 60 * 60 * 1000
const KEPT_SECONDS = 30 * 24 * 60 * 60

/** What became of a mail that was handed to its post; `unknown`: it may have left, so it is never sent again. */
export type Ending = 'sent' | 'no_sender' | 'rejected' | 'unknown'

const Kept = z.object({ status: z.enum(['sent', 'no_sender', 'rejected', 'unknown', 'released']) })

/** `dropped`: claimed before, whatever became of it. `limited`: the address had its share. */
export type Claim = 'claimed' | 'dropped' | 'limited'

export type Claiming = {
  table: Table
  /** Keys the HMAC of the address. */
  key: string
  nowMs: number
  /** Times the limit. */
  scale: number
}

/**
 * Counts it for the address and claims it, both or neither, so that a message which comes again counts once. Until
 * it ends a claimed mail is `unknown`, which is also the truth when its worker died.
 */
export const claimMail = (
  { table, key, nowMs, scale }: Claiming,
  { id, kind }: MailMessage,
  foldedAddress: string,
): Promise<Claim> =>
  deciding(async () => {
    const kept = await table.find(mailKey(id), Kept)
    if (kept && kept.status !== 'released') return 'dropped'
    if (kept) {
      await table.transact([{ refused: STALE, Update: becoming(id, 'unknown', 'released') }])
      return 'claimed'
    }
    const bucket = limitKey(`mail-${kind}`, clientKey(foldedAddress, key))
    const most = { max: Math.max(1, Math.floor(MOST_PER_HOUR * scale)), windowMs: HOUR_MS }
    const hit = await planHit(table, bucket, most, nowMs)
    if (!hit.isAllowed) return 'limited'
    const expires = Math.ceil(nowMs / 1000) + KEPT_SECONDS
    const Item = { ...mailKey(id), kind, status: 'unknown', claimed_ms: nowMs, expires, schema: 1 }
    await table.transact([
      hit.action,
      { refused: STALE, Put: { Item, ConditionExpression: 'attribute_not_exists(pk)' } },
    ])
    return 'claimed'
  })

export const endMail = (table: Table, id: string, ending: Exclude<Ending, 'unknown'>): Promise<void> =>
  table.write({ Update: becoming(id, ending, 'unknown') })

/** For a mail that was not taken: the next attempt claims it again, and counts it no second time. */
export const releaseMail = (table: Table, id: string): Promise<void> =>
  table.write({ Update: becoming(id, 'released', 'unknown') })

const becoming = (id: string, status: z.output<typeof Kept>['status'], before: string) => ({
  Key: mailKey(id),
  UpdateExpression: 'SET #status = :status',
  ConditionExpression: '#status = :before',
  ExpressionAttributeNames: { '#status': 'status' },
  ExpressionAttributeValues: { ':status': status, ':before': before },
})
