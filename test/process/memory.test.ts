// The memory of `npm start` with all its processes. The bounds are above what an idle machine shows.
import { describe, it } from 'vitest'
import { newFolder } from '../support/folder.ts'
import { memoryOfTree } from '../support/processes.ts'
import { until } from '../support/until.ts'
import { startProcess } from './service.ts'

const MAX_IDLE_MIB = 235
const MAX_AFTER_LOAD_MIB = 480
const CLIENTS = 16
const PATHS = [
  '/posts',
  '/pages',
  '/categories',
  '/search?q=word',
  '/settings',
  '/menus',
  '/admin/posts',
  '/admin/comments',
  '/admin/users',
  '/admin/webhooks',
  '/admin/tickets',
  '/admin/categories',
  '/admin/newsletter/subscribers',
]

// Only Linux shows the memory of a process in a file.
describe.runIf(process.platform === 'linux')('the service', () => {
  it('takes little memory when it is idle, and gives back most of what a load takes', async () => {
    const { baseUrl, token, pid } = await startProcess(await newFolder())
    await until('little memory when idle', () => memoryOfTree(pid) < MAX_IDLE_MIB)

    const headers = { authorization: `Bearer ${token}` }
    const client = async () => {
      for (const path of PATHS) {
        const answer = await fetch(`${baseUrl}/api/v1${path}`, { headers })
        await answer.arrayBuffer()
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, client))
    const busy = memoryOfTree(pid)
    await until('less memory after the load', () => memoryOfTree(pid) < Math.min(busy, MAX_AFTER_LOAD_MIB))
  })
})
