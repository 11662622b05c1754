// What `npm start` loads stays in memory, so what only a build or the first data need is loaded elsewhere.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const project = fileURLToPath(new URL('../..', import.meta.url))
/** Prints the file of each module that is loaded. */
const PRINT_LOADED = `require('node:module').registerHooks({
  load(url, context, next) {
    console.error(url)
    return next(url, context)
  },
})`
const ELSEWHERE = [
  /node_modules\/(?:aws-cdk-lib|constructs|esbuild|typescript|fauxqs|fastify|nodemailer)\//,
  /node_modules\/(?:htmlparser2|marked|yaml|smol-toml|@aws-sdk\/lib-dynamodb)\//,
  /infra\/operator\//,
  /shared\/(?:posts|comments|search|lists|accounts|lambda)\//,
]

it('loads neither a compiler, nor the emulator of queues, nor the code that fills the table', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'loaded-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const preload = join(folder, 'preload.cjs')
  await writeFile(preload, PRINT_LOADED)
  const args = ['-r', preload, join(project, 'infra/local/start.ts'), '--help']
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 24 })
  expect(stdout).toContain('npm start')
  const loaded = stderr.split('\n')
  expect(loaded.some(url => url.endsWith('infra/local/run-stack.ts'))).toBe(true)
  expect(loaded.filter(url => ELSEWHERE.some(pattern => pattern.test(url)))).toEqual([])
})
