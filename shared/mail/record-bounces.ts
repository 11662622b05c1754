// Handles a notice of SES: after a hard bounce or a complaint, the address gets no more mail.
import type { SesNotice } from '../events/message.ts'
import { count } from '../metrics/tally.ts'
import type { JobContext } from '../runtime/job.ts'
import { readNotice } from './notice.ts'
import { addRefusal } from './refusals.ts'

/** The log contains no address. */
export async function recordBounces(body: SesNotice, { table, log }: JobContext): Promise<void> {
  const { kind, refusals } = readNotice(body)
  const written = await Promise.all(refusals.map(refusal => addRefusal(table, refusal)))
  const refused = written.filter(isNew => isNew).length
  count(refused > 0 ? 'AddressesRefused' : 'NoticesIgnored')
  log('info', 'a notice of SES', { kind, refused })
}
