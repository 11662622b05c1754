// Raises the id counters of a restored table above all ids that were given since: none is given twice.
import { isoTime } from '../../../shared/http/time.ts'
import type { Table } from '../../../shared/table/client.ts'
import { ignoreConditionFailed } from '../../../shared/table/conditions.ts'
import { counterKey } from '../../../shared/table/design.ts'
import { COUNTERS, type Counter } from '../../../shared/table/kinds.ts'
import { lastId } from '../../../shared/table/next-id.ts'

/** More ids than the old table gives from now until the switch, even if nothing stops the writes. */
export const MARGIN = 100_000
/** More than any service has given in the time that was lost, if the old table cannot be read. */
const BLIND_MARGIN = 1_000_000

/** Returns the last id of each counter that the restored table will not give again. */
export async function fenceCounters(
  table: Table,
  olds: Table[],
  atSeconds: number,
): Promise<Record<string, number>> {
  const fenced: Record<string, number> = {}
  for (const counter of COUNTERS) {
    if (olds.length === 0) {
      await raiseBlindly(table, counter, isoTime(atSeconds))
    } else {
      const given = await Promise.all(olds.map(old => lastId(old, counter)))
      await raiseTo(table, counter, given.reduce((most, last) => Math.max(most, last)) + MARGIN)
    }
    fenced[counter] = await lastId(table, counter)
  }
  return fenced
}

async function raiseTo(table: Table, counter: Counter, last: number): Promise<void> {
  const Update = {
    Key: counterKey(counter),
    UpdateExpression: 'SET #last = :last',
    ConditionExpression: 'attribute_not_exists(#last) OR #last < :last',
    ExpressionAttributeNames: { '#last': 'last' },
    ExpressionAttributeValues: { ':last': last },
  }
  await table.write({ Update }).catch(ignoreConditionFailed)
}

/** The counter keeps the moment, so that it is raised once for it, however often the command runs. */
async function raiseBlindly(table: Table, counter: Counter, moment: string): Promise<void> {
  const Update = {
    Key: counterKey(counter),
    UpdateExpression: 'SET #last = if_not_exists(#last, :none) + :margin, raised_for = :moment',
    ConditionExpression: 'attribute_not_exists(raised_for) OR raised_for <> :moment',
    ExpressionAttributeNames: { '#last': 'last' },
    ExpressionAttributeValues: { ':none': 0, ':margin': BLIND_MARGIN, ':moment': moment },
  }
  await table.write({ Update }).catch(ignoreConditionFailed)
}
