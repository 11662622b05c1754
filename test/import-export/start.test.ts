// `npm start -- --import FILE`: a fresh state begins with the content of the file, and can be used at once.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import * as z from 'zod/mini'
import { newFolder } from '../support/folder.ts'
import { spawnService, untilReady } from '../support/service-process.ts'
import { smallExport, textOf } from './small-export.ts'

const Page = z.object({
  data: z.array(z.object({ slug: z.string() })),
  pagination: z.object({ total: z.int() }),
})

it('fills a fresh state, and changes nothing when it is repeated', async () => {
  const folder = await newFolder()
  const [file, state] = [join(folder, 'small.jsonl'), join(folder, 'state')]
  await writeFile(file, textOf(smallExport(3)))
  for (const outcome of ['made', 'skipped']) {
    const service = spawnService(state, ['--import', file])
    onTestFinished(() => service.end('SIGKILL'))
    const { baseUrl, adminToken } = await untilReady(service, state)
    expect(service.err).toContain(`post: 4 ${outcome}`)
    const headers = { Authorization: `Bearer ${adminToken}` }
    const response = await fetch(`${baseUrl}/api/v1/admin/posts`, { headers })
    const { data, pagination } = Page.parse(await response.json())
    await service.end('SIGTERM')
    expect(pagination.total).toBe(5)
    expect(data.map(({ slug }) => slug)).toEqual(['post-5', 'post-4', 'post-3', 'post-2', 'post-1'])
  }
})

it('starts nothing if the file has no known format', async () => {
  const service = spawnService(await newFolder(), ['--import', new URL(import.meta.url).pathname])
  expect(await service.ended).toBe(1)
  expect(service.err).toContain('has no known format')
})
