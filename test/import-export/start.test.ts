// `npm start -- --import FILE`: a fresh state begins with the content of the file, and can be used at once.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import * as z from 'zod/mini'
import { openStart } from '../local/start-world.ts'
import { smallExport, textOf } from './small-export.ts'

const Page = z.object({
  data: z.array(z.object({ slug: z.string() })),
  pagination: z.object({ total: z.int() }),
})

it('fills a fresh state, and changes nothing when it is repeated', async () => {
  const start = await openStart()
  onTestFinished(() => start.close())
  const file = join(start.folder, 'small.jsonl')
  await writeFile(file, textOf(smallExport(3)))
  for (const outcome of ['made', 'skipped']) {
    const { started, file: service } = await start.runUntilReady('--import', file)
    expect(started.err).toContain(`post: 4 ${outcome}`)
    const headers = { Authorization: `Bearer ${service.adminToken}` }
    const response = await fetch(`${service.baseUrl}/api/v1/admin/posts`, { headers })
    const { data, pagination } = Page.parse(await response.json())
    started.child.kill('SIGTERM')
    await started.ended
    expect(pagination.total).toBe(5)
    expect(data.map(({ slug }) => slug)).toEqual(['post-5', 'post-4', 'post-3', 'post-2', 'post-1'])
  }
})

it('starts nothing if the file has no known format', async () => {
  const start = await openStart()
  onTestFinished(() => start.close())
  const started = start.run('--port', '0', '--import', new URL(import.meta.url).pathname)
  expect(await started.ended).toBe(1)
  expect(started.err).toContain('has no known format')
})
