// The memory of `npm start` with all its processes. The bounds are above what an idle machine shows.
import { describe, expect, it } from 'vitest'
import { newFolder } from '../support/folder.ts'
import { memoryOfTree } from '../support/processes.ts'
import { until } from '../support/until.ts'
import { startProcess } from './service.ts'

const MAX_IDLE_MIB = 200
const MAX_AFTER_LOAD_MIB = 260
const CLIENTS = 16
const PATHS = [
  '/posts',
  '/pages',
  '/categories',
  '/search?q=word',
  '/settings/public',
  '/admin/menus',
  '/admin/posts',
  '/admin/comments',
  '/admin/users',
  '/admin/webhooks',
  '/admin/tickets',
  '/admin/categories',
  '/admin/newsletter',
]

// Only Linux shows the memory of a process in a file.
describe.runIf(process.platform === 'linux')('the service', () => {
  it('takes little memory when it is idle, and not much more after every list was asked for by 16 clients', async () => {
    const { baseUrl, token, pid } = await startProcess(await newFolder())
    await until('little memory when idle', () => memoryOfTree(pid) < MAX_IDLE_MIB)

    const headers = { authorization: `Bearer ${token}` }
    const client = async () => {
      for (const path of PATHS) {
        const answer = await fetch(`${baseUrl}/api/v1${path}`, { headers })
        await answer.arrayBuffer()
        expect(answer.status).toBe(200)
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, client))
    await until('not much more after the load', () => memoryOfTree(pid) < MAX_AFTER_LOAD_MIB)
  })
})
