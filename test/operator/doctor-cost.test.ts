// The doctor reads each item once, and no record for each of its dependents, so that it fits a large site.
import { beforeAll, describe, expect, it } from 'vitest'
import { diagnose } from '../../infra/operator/doctor/doctor.ts'
import { createUser } from '../../shared/accounts/commands/users.ts'
import { emailKey } from '../../shared/table/design.ts'
import { targetOn } from '../import-export/table-context.ts'
import { useTable } from '../support/new-table.ts'
import { contextOf } from './operator-world.ts'

const NOW_SECONDS = 1_750_000_000
const USERS = 400

const world = useTable()
beforeAll(async () => {
  for (let n = 0; n < USERS; n++) {
    const profile = { name: `User ${n}`, email: `user-${n}@example.com` }
    await createUser(world.table, { ...profile, email_verified: true, password_hash: null }, NOW_SECONDS)
  }
})

/** Runs the doctor and counts its scans, and the keys that its batches read. */
async function countedDoctor() {
  let [scans, keys] = [0, 0]
  const stopCounting = world.client.around((next, operation, input) => {
    if (operation === 'Scan') scans++
    const requested = Object.values<{ Keys?: unknown[] }>(Object(input).RequestItems ?? {})
    for (const { Keys = [] } of requested) keys += Keys.length
    return next()
  })
  const diagnosis = await diagnose(contextOf(targetOn(world, { client: world.client })), false)
  stopCounting()
  return { ...diagnosis, scans, keys }
}

describe('the doctor', () => {
  it('scans an intact table once and reads no item by its key', async () => {
    const { records, items, problems, scans, keys } = await countedDoctor()
    expect(problems).toEqual([])
    expect(records).toBe(USERS)
    expect(scans).toBe(Math.ceil((items + 1) / 1_000))
    expect(keys).toBe(0)
  })

  it('reads of a record with a problem only what belongs to it, and does not scan again', async () => {
    const before = await countedDoctor()
    await world.table.removeMany([emailKey('user-7@example.com')])
    const { problems, scans, keys } = await countedDoctor()
    expect(problems.map(({ message }) => message)).toEqual(['its address lock is missing.'])
    expect(scans).toBe(before.scans)
    expect(keys).toBeLessThan(50)
  })
})
