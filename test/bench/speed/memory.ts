// Measures the memory of `npm start` with all its processes: idle, and after the reads by 16 clients.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'
import { until } from '../../world/until.ts'
import { memoryOfTree } from '../thread-cpu.ts'
import { openRead, rateOfMany, readsOf } from './reads.ts'
import type { Figures, Side } from './side.ts'
import type { Site } from './speed.ts'

const OPTIONS = ['--port', '0', '--empty', '--limit-scale', '1000000']
/** V8 gives the memory of ended threads back to the system after eight seconds. */
const IDLE_AFTER_MS = 12_000
const ServiceFile = z.object({ pid: z.int(), baseUrl: z.string(), adminToken: z.string() })

/** @param folder with a copy of the site. */
export async function measureMemory(side: Side, folder: string, site: Site, forMs: number): Promise<Figures> {
  const args = ['infra/launch.cjs', 'infra/local/start.ts', '--state', folder, ...OPTIONS]
  const program = spawn(process.execPath, args, { cwd: side.checkout, stdio: 'ignore' })
  const ended = once(program, 'exit')
  try {
    const {
      baseUrl,
      adminToken: token,
      pid,
    } = await until('`npm start`', () => serviceOf(folder, program.pid))
    const started = { ...side, baseUrl: `${baseUrl}/api/v1`, token }
    await pause(IDLE_AFTER_MS)
    const idle = memoryOfTree(pid)
    for (const read of await readsOf(started, site)) await rateOfMany(forMs, await openRead(started, read))
    return { 'memory.idle': idle, 'memory.busy': memoryOfTree(pid) }
  } finally {
    program.kill()
    await ended
  }
}

/** The file of another run has another process in it. */
async function serviceOf(folder: string, pid: number | undefined) {
  const text = await readFile(join(folder, 'service.json'), 'utf8').catch(() => undefined)
  const service = text === undefined ? undefined : ServiceFile.parse(JSON.parse(text))
  return service?.pid === pid && service
}
