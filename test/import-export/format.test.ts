// The format of exports: the schema that ships with it, and what a reader refuses.
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { exportSchema } from '../../infra/operator/import-export/json-schema.ts'
import { openSource } from '../../infra/operator/import-export/sources/open-source.ts'

const SCHEMA_FILE = new URL('../../infra/operator/import-export/export.schema.json', import.meta.url)

const HEADER = {
  type: 'header',
  format: 'headless-content-service',
  version: 1,
  service: '1.0.0',
  site: 'a',
  exported_at: '2026-05-26T15:00:00+00:00',
  last_ids: { category: 3 },
}
const CATEGORY = { type: 'category', id: 3, name: 'News', slug: 'news', description: '' }

async function fileOf(lines: unknown[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'format-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'site.jsonl')
  await writeFile(file, lines.map(line => JSON.stringify(line)).join('\n'))
  return file
}

async function read(lines: unknown[]): Promise<unknown[]> {
  const items: unknown[] = []
  for await (const item of (await openSource(await fileOf(lines), {})).items()) items.push(item)
  return items
}

describe('export.schema.json', () => {
  it('is the schema of the format', () => {
    const text = `${JSON.stringify(exportSchema(), null, 2)}\n`
    const shipped = readFileSync(SCHEMA_FILE, 'utf8')
    expect(JSON.parse(shipped), `Write this to the file:\n${text}`).toEqual(JSON.parse(text))
  })
})

describe('an export', () => {
  it('may have members that this version does not know', async () => {
    const items = await read([
      { ...HEADER, more: 1 },
      { ...CATEGORY, colour: 'red' },
      { type: 'end', records: 1 },
    ])
    expect(items).toEqual([
      {
        kind: 'category',
        key: 'category:3',
        id: 3,
        label: 'news',
        value: { name: 'News', slug: 'news', description: '', version: 1 },
      },
    ])
  })

  it('is refused if its version is newer than the program', async () => {
    await expect(read([{ ...HEADER, version: 2 }])).rejects.toThrow('Import it with a newer version')
  })

  it('is reported as cut off if its last line is missing', async () => {
    await expect(read([HEADER, CATEGORY])).rejects.toThrow('was cut off')
  })

  it('names the line and the member of a record that is wrong', async () => {
    const items = await read([HEADER, { ...CATEGORY, name: '' }, '{', { type: 'end', records: 2 }])
    expect(items).toEqual([
      { kind: 'category', label: 'line 2 (news)', problem: 'name: Is required.', isWrong: true },
      expect.objectContaining({ kind: 'record', label: 'line 3', isWrong: true }),
    ])
  })

  it('is found by its first line, and any other file is refused with the names of the formats', async () => {
    await expect(openSource(await fileOf(['something else']), {})).rejects.toThrow('has no known format')
    await expect(openSource('missing.jsonl', {})).rejects.toThrow('There is no file missing.jsonl.')
  })
})
