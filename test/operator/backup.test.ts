// `backup`: a copy of a state during writes of its service, and a service that runs on the copy.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { backUpState } from '../../infra/local/back-up.ts'
import { openLocalTable } from '../../infra/local/dynamodb/table.ts'
import { openState, writeJsonAtomically } from '../../infra/local/state.ts'
import { createUser } from '../../shared/accounts/commands/users.ts'
import { findUserIdByEmail } from '../../shared/accounts/store/users.ts'
import { system } from '../../shared/site/contract.ts'
import { callAt } from '../support/call.ts'
import { newFolder } from '../support/folder.ts'
import { runService } from '../support/local-service.ts'
import { underLoad } from './load.ts'
import { run } from './operator-process.ts'

/** A service on a state, as `npm start` runs it. */
async function startService(folder: string) {
  const state = await openState(folder)
  const service = await runService({ state, hasClock: false })
  const { baseUrl, endpoints, outputs } = service
  await writeJsonAtomically(state.serviceFile, { pid: process.pid, baseUrl, endpoints, outputs })
  onTestFinished(() => service.stop())
  return { ...service, table: openLocalTable(endpoints.dynamodb, service.tableName) }
}

it('backup leaves nothing behind when it fails', async () => {
  const [folder, parent] = [await newFolder(), await newFolder()]
  // A folder without secrets is no state.
  await expect(backUpState(folder, join(parent, 'monday'))).rejects.toThrow('secrets.json')
  expect(await readdir(parent)).toEqual([])
})

it('backup copies a state that is being written to, and a service runs on the copy', async () => {
  const [folder, copy] = [await newFolder(), join(await newFolder(), 'monday')]
  const service = await startService(folder)
  const profile = { name: 'Ada', email_verified: true, password_hash: null }
  const create = (email: string) => createUser(service.table, { ...profile, email }, 1_750_000_000)
  await create('ada@example.com')
  let count = 0
  const load = underLoad({ writes: () => create(`user${count++}@example.com`) })
  const { code, out } = await run(['backup', copy, '--state', folder])
  await load.stop()
  expect(count).toBeGreaterThan(1)
  expect([code, out]).toEqual([0, `Copied ${folder} to ${copy}. Run it: npm start -- --state ${copy}\n`])
  expect((await readdir(copy)).sort()).toEqual(['dynamodb.db', 'format.json', 'queues', 'secrets.json'])

  const again = await run(['backup', copy, '--state', folder])
  expect(again).toMatchObject({ code: 1, out: '' })
  expect(again.err).toContain(`${copy} exists already. Name a new folder.`)

  await service.stop()
  const doctor = await run(['doctor', '--state', copy])
  expect(doctor.out).toContain('Nothing is wrong.')
  expect(doctor.code).toBe(0)
  const restored = await startService(copy)
  expect(await findUserIdByEmail(restored.table, 'ada@example.com')).toBeDefined()
  expect((await callAt(restored.baseUrl)(system.getHealth)).status).toBe(200)
})
