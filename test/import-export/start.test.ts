// `npm start -- --import FILE`: a fresh state begins with the content of the file, and can be used at once.
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod/mini'
import { until } from '../support/until.ts'
import { smallExport, writeExport } from './small-export.ts'

const START = fileURLToPath(new URL('../../infra/local/start.ts', import.meta.url))
const Service = z.object({ baseUrl: z.string(), adminToken: z.string() })
const Page = z.object({
  data: z.array(z.object({ slug: z.string() })),
  pagination: z.object({ total: z.int() }),
})

async function start(folder: string, args: string[]) {
  const env = { ...process.env }
  const service = spawn(process.execPath, [START, '--port', '0', '--state', folder, ...args], { env })
  let [out, err] = ['', '']
  service.stdout.on('data', chunk => {
    out += chunk
  })
  service.stderr.on('data', chunk => {
    err += chunk
  })
  const hasEnded = () => service.exitCode !== null || service.signalCode !== null
  await until('the service to be ready or to end', () => out.includes('Admin token: ') || hasEnded())
  const stop = async () => {
    service.kill('SIGTERM')
    await until('the service to end', hasEnded)
  }
  return { stop, err: () => err, code: () => service.exitCode }
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'start-import-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

describe('npm start -- --import FILE', () => {
  it('fills a fresh state, without demo content, and changes nothing when it is repeated', async () => {
    const folder = await newFolder()
    const file = join(folder, 'small.jsonl')
    await writeExport(file, smallExport(3))
    for (const outcome of ['made', 'skipped']) {
      const service = await start(join(folder, 'state'), ['--import', file])
      expect(service.err()).toContain(`post: 4 ${outcome}`)
      const text = await readFile(join(folder, 'state', 'service.json'), 'utf8')
      const { baseUrl, adminToken } = Service.parse(JSON.parse(text))
      const headers = { Authorization: `Bearer ${adminToken}` }
      const response = await fetch(`${baseUrl}/api/v1/admin/posts`, { headers })
      const { data, pagination } = Page.parse(await response.json())
      await service.stop()
      expect(pagination.total).toBe(5)
      expect(data.map(({ slug }) => slug)).toEqual(['post-5', 'post-4', 'post-3', 'post-2', 'post-1'])
    }
  })

  it('starts nothing if the file has no known format', async () => {
    const service = await start(join(await newFolder(), 'state'), ['--import', START])
    expect(service.err()).toContain('has no known format')
    expect(service.code()).toBe(1)
  })
})
