// Reads and writes the addresses that get no more mail: after a hard bounce, or a complaint.
import type { SesNotice } from '../events/message.ts'
import { foldedEmail } from '../http/email.ts'
import type { JobContext } from '../runtime/runtime.ts'
import { ignoreConditionFailed, setMembers } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { REFUSALS, refusalKey } from '../table/design.ts'
import { isInForce, Refusal, readNotice } from './refusal.ts'

/** Longer than a notice can wait in the queue and among its dead letters. */
const REMEMBERED_SECONDS = 30 * 24 * 60 * 60

/** The refusal of an address in any spelling, if it gets no mail. */
export async function findRefusal(table: Table, email: string): Promise<Refusal | undefined> {
  const refusal = await table.find(refusalKey(foldedEmail(email)), Refusal)
  return refusal && isInForce(refusal) ? refusal : undefined
}

/** Those of these addresses that get no mail, by the folded address. It may be a moment old. */
export async function findRefusals(table: Table, emails: string[]): Promise<Map<string, Refusal>> {
  const addresses = [...new Set(emails.map(foldedEmail))]
  const found = await table.findMany(addresses.map(refusalKey), { isEventual: true })
  const inForce = found.map(item => Refusal.parse(item)).filter(isInForce)
  return new Map(inForce.map(refusal => [refusal.email, refusal]))
}

/** All addresses that get no mail, and those that were allowed again a short time ago; in no order. */
export function listRefusals(table: Table): Promise<Refusal[]> {
  return table.query({ pk: REFUSALS }, Refusal)
}

/**
 * Returns false if nothing changes: the address is refused already, or was allowed after this refusal, so
 * notices may come twice and in any order. A complaint replaces a bounce, because it is the person's wish.
 */
export function addRefusal(table: Table, { email, reason, detail, refused_ms }: Refusal): Promise<boolean> {
  const members = { email, reason, detail, refused_ms, schema: 1 }
  const isNews = 'attribute_not_exists(pk) OR allowed_ms < :refused'
  const replaces = 'reason = :bounce AND attribute_not_exists(allowed_ms)'
  const isComplaint = reason === 'complaint'
  return isWritten(
    table.write({
      Update: {
        Key: refusalKey(email),
        ...setMembers(
          { ...members, allowed_ms: undefined, expires: undefined },
          {
            ConditionExpression: isComplaint ? `${isNews} OR (${replaces})` : isNews,
            ExpressionAttributeValues: {
              ':refused': refused_ms,
              ...(isComplaint && { ':bounce': 'bounce' }),
            },
          },
        ),
      },
    }),
  )
}

/** Lets the address get mails again. Returns false if it does already. */
export function liftRefusal(table: Table, email: string, nowMs: number): Promise<boolean> {
  const expires = Math.ceil(nowMs / 1000) + REMEMBERED_SECONDS
  return isWritten(
    table.write({
      Update: {
        Key: refusalKey(foldedEmail(email)),
        ...setMembers(
          { allowed_ms: nowMs, expires },
          { ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(allowed_ms)' },
        ),
      },
    }),
  )
}

async function isWritten(writing: Promise<void>): Promise<boolean> {
  return (await writing.then(() => true, ignoreConditionFailed)) === true
}

/** The log contains no address. */
export async function recordBounces(body: SesNotice, { table, log }: JobContext): Promise<void> {
  const { kind, refusals } = readNotice(body)
  const written = await Promise.all(refusals.map(refusal => addRefusal(table, refusal)))
  log('info', 'a notice of SES', { kind, refused: written.filter(isNew => isNew).length })
}
