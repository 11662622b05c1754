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

/** Creates users until it is stopped. */
function keepWriting(table: ReturnType<typeof openLocalTable>) {
  let isStopped = false
  let count = 0
  const user = (n: number) => ({ name: `User ${n}`, email: `user${n}@example.com` })
  const writing = (async () => {
    while (!isStopped) {
      await createUser(table, { ...user(count), email_verified: true, password_hash: null }, 1_750_000_000)
      count++
    }
  })()
  return {
    count: () => count,
    stop: async () => {
      isStopped = true
      await writing
    },
  }
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
  await createUser(
    service.table,
    { name: 'Ada', email: 'ada@example.com', email_verified: true, password_hash: null },
    1_750_000_000,
  )
  const writer = keepWriting(service.table)
  const { code, out } = await run(['backup', copy, '--state', folder])
  await writer.stop()
  expect(writer.count()).toBeGreaterThan(0)
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
