// The doctor reads each item once, and no record for each of its dependents, so that it fits a large site.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectLocally } from '../../infra/local/dynamodb/table.ts'
import { diagnose } from '../../infra/operator/doctor/doctor.ts'
import { createUser } from '../../shared/accounts/commands/users.ts'
import { emailKey } from '../../shared/table/design.ts'
import { targetOn } from '../import-export/table-context.ts'
import { interceptable } from '../support/interceptable.ts'
import { newTable } from '../support/new-table.ts'
import type { TableWorld } from '../support/table.ts'
import { contextOf } from './operator-world.ts'

const NOW_SECONDS = 1_750_000_000
const USERS = 400

let world: TableWorld
beforeAll(async () => {
  world = await newTable()
  for (let n = 0; n < USERS; n++) {
    const email = `user-${n}@example.com`
    await createUser(
      world.table,
      { name: `User ${n}`, email, email_verified: true, password_hash: null },
      NOW_SECONDS,
    )
  }
})
afterAll(() => world.stop())

/** Runs the doctor and counts the calls by name, and the keys that its batches read. */
async function countedDoctor() {
  const client = interceptable(connectLocally(world.endpoint))
  const calls = new Map<string, number>()
  let keys = 0
  client.around((next, operation, input) => {
    calls.set(operation, (calls.get(operation) ?? 0) + 1)
    const requested = Object.values<{ Keys?: unknown[] }>(Object(input).RequestItems ?? {})
    for (const { Keys = [] } of requested) keys += Keys.length
    return next()
  })
  const diagnosis = await diagnose(contextOf(targetOn(world, { client })), false)
  return { ...diagnosis, scans: calls.get('Scan') ?? 0, keys }
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
