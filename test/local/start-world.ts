// Runs `npm start` as a process with the small stack and its own state, and collects its output.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import * as z from 'zod/mini'
import { eventually } from './eventually.ts'
import { writeSmallStack } from './small-stack.ts'

const serviceFile = z.object({
  baseUrl: z.url(),
  adminToken: z.string(),
  userToken: z.string(),
  email: z.string(),
  password: z.string(),
  pid: z.number(),
})

const startFile = new URL('../../infra/local/start.ts', import.meta.url).pathname

export type StartedProcess = { child: ChildProcess; out: string; err: string; ended: Promise<number | null> }

/** A folder with the small stack and a state. `close` ends all processes that were started in it. */
export async function openStart() {
  const stack = await writeSmallStack()
  const state = join(stack.folder, 'state')
  const children: ChildProcess[] = []

  function run(...options: string[]): StartedProcess {
    const env = { ...process.env, CLOUD_ASSEMBLY: stack.assembly }
    const child = spawn(process.execPath, [startFile, '--empty', '--state', state, ...options], { env })
    children.push(child)
    const ended = once(child, 'close').then(([code]) => code)
    const started: StartedProcess = { child, out: '', err: '', ended }
    child.stdout.on('data', text => {
      started.out += text
    })
    child.stderr.on('data', text => {
      started.err += text
    })
    return started
  }

  return {
    folder: stack.folder,
    state,
    run,

    async runUntilReady(...options: string[]) {
      const started = run('--port', '0', ...options)
      await eventually(() => expect(started.out).toContain('Admin token: '))
      const file = serviceFile.parse(JSON.parse(await readFile(join(state, 'service.json'), 'utf8')))
      return { started, file }
    },

    /** The code of the stack's one function. */
    writeFunction(source: string) {
      return writeFile(join(stack.folder, 'assembly', 'asset.everything', 'index.mjs'), source)
    },

    async close() {
      for (const child of children) child.kill('SIGKILL')
      await rm(stack.folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
