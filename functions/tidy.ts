// Work that outlives its request: one step of at most 100 records, then a message for the next.
import { z } from 'zod'
import { consume } from '../shared/lambda/consume.ts'
import { listPartition } from '../shared/table/design.ts'

const STEP = 100
const Keys = z.object({ pk: z.string(), sk: z.string() })

/** Clears the partition of a list that is gone. Twice is as good as once. */
export const handler = consume('tidy', async ({ list }, { table, sender }) => {
  const keys = await table.query({ pk: listPartition(list), limit: STEP, only: ['pk', 'sk'] }, Keys)
  await table.removeMany(keys)
  if (keys.length < STEP) return
  const [sent] = await sender.send([{ queue: 'tidy', body: { kind: 'list', list } }])
  if (!sent?.ok) throw new Error('The next step could not be sent: this one is done again.')
})
