// Calls that IAM would deny are denied locally: the real stack with a permission removed from its template.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import * as z from 'zod/mini'
import { runStack } from '../../infra/local/run-stack.ts'

const Assets = z.looseObject({
  files: z.record(z.string(), z.looseObject({ source: z.looseObject({ path: z.string() }) })),
})

/** A copy of the assembly with a changed template. The code of functions is not copied. */
async function assemblyWith(change: (template: string) => string): Promise<string> {
  const from = inject('assembly')
  const folder = await mkdtemp(join(tmpdir(), 'access-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const files = await readdir(from)
  const read = async (ending: string) => {
    const name = files.find(file => file.endsWith(ending)) ?? ''
    return { name, text: await readFile(join(from, name), 'utf8') }
  }
  const [template, assets] = await Promise.all([read('.template.json'), read('.assets.json')])
  const { files: listed, ...rest } = Assets.parse(JSON.parse(assets.text))
  for (const { source } of Object.values(listed)) source.path = relative(folder, join(from, source.path))
  await writeFile(join(folder, template.name), change(template.text))
  await writeFile(join(folder, assets.name), JSON.stringify({ ...rest, files: listed }))
  return folder
}

async function start(change: (template: string) => string) {
  const lines: string[] = []
  const assembly = await assemblyWith(change)
  const service = await runStack({ assembly, clock: false, mostThreads: 2, log: line => lines.push(line) })
  onTestFinished(() => service.stop())
  return { service, lines, ask: (path: string, init?: RequestInit) => fetch(service.baseUrl + path, init) }
}

describe('a running stack', () => {
  it('returns 500 and logs function, action, table and key for a denied call to the table', async () => {
    const { ask: request, lines, service } = await start(template => template.replaceAll('"MENUS', '"MENU'))
    expect((await request('/api/v1/menus/main')).status).toBe(500)
    const line = lines.find(line => line.includes('unexpected failure'))
    const table = `arn:aws:dynamodb:us-east-1:000000000000:table/${service.tableName}`
    expect(line).toContain('"level":"error"')
    expect(line).toContain('AccessDeniedException')
    expect(line).toMatch(/assumed-role\/site\w+ is not authorized to perform: dynamodb:/)
    expect(line).toContain(
      `on resource: ${table} with dynamodb:LeadingKeys MENUS and dynamodb:Attributes pk, sk,`,
    )
    expect(service.access.denied).toHaveLength(1)
    // Other calls on the same connection still work.
    expect((await request('/api/v1/posts')).status).toBe(200)
  })

  it('sends nothing to a queue without permission and records the denial', async () => {
    const { ask: request, service } = await start(template =>
      template.replaceAll('"sqs:SendMessage"', '"sqs:TagQueue"'),
    )
    const body = JSON.stringify({ name: 'Ada', email: 'ada@example.com', message: 'Hello.' })
    expect((await request('/api/v1/contact', { method: 'POST', body })).status).toBe(201)
    expect(service.access.denied.join()).toMatch(/contact\w+ is not authorized to perform: sqs:SendMessage/)
    expect(service.queueDepth('EventsQueue').visible).toBe(0)
  })

  it('refuses to start if a function may not receive from its queue, as a deployment does', async () => {
    const assembly = await assemblyWith(template =>
      template.replaceAll('"sqs:ReceiveMessage"', '"sqs:TagQueue"'),
    )
    await expect(runStack({ assembly, clock: false })).rejects.toThrow('sqs:ReceiveMessage')
  })
})
