// Runs `npm start` as a process with its own state and without demo content, and collects its output.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import * as z from 'zod/mini'
import { eventually } from './eventually.ts'

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

/** A folder with a state. `close` ends all processes that were started in it. */
export async function openStart() {
  const folder = await mkdtemp(join(tmpdir(), 'start-'))
  const state = join(folder, 'state')
  const children: ChildProcess[] = []
  let prepared: Record<string, string> = {}

  function run(...options: string[]): StartedProcess {
    const content = options.includes('--import') ? [] : ['--empty']
    const args = [startFile, ...content, '--state', state, ...options]
    const child = spawn(process.execPath, args, { env: { ...process.env, ...prepared } })
    prepared = {}
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
    folder,
    state,
    run,

    async runUntilReady(...options: string[]) {
      const started = run('--port', '0', ...options)
      const failed = started.ended.then(() => Promise.reject(new Error(started.err)))
      await Promise.race([failed, eventually(() => expect(started.out).toContain('Admin token: '))])
      const file = serviceFile.parse(JSON.parse(await readFile(join(state, 'service.json'), 'utf8')))
      return { started, file }
    },

    /** Lets both threads of the next process run this code when the returned function is called. */
    async prepare(code: string) {
      const [preload, cue] = [join(folder, 'preload.mjs'), join(folder, 'cue')]
      const program = `import { existsSync } from 'node:fs'
        import { isMainThread } from 'node:worker_threads'
        const timer = setInterval(() => {
          if (!existsSync(${JSON.stringify(cue)})) return
          clearInterval(timer)
          ${code}
        }, 50).unref()`
      await writeFile(preload, program)
      prepared = { NODE_OPTIONS: `--import ${preload}` }
      return () => writeFile(cue, '')
    },

    async close() {
      for (const child of children) child.kill('SIGKILL')
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
