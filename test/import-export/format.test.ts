// The format of exports: the schema that ships with it, and what a reader refuses.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 as Ajv } from 'ajv/dist/2020.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { exportSchema } from '../../infra/operator/import-export/format.ts'
import { openSource } from '../../infra/operator/import-export/sources/source.ts'

const OPTIONS = { nowSeconds: 1_780_000_000 }

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
  for await (const item of (await openSource([await fileOf(lines)], OPTIONS)).entries()) items.push(item)
  return items
}

describe('the JSON schema of a line', () => {
  it('takes what the format takes, with members that it does not know', () => {
    const takes = new Ajv({ strict: false, validateFormats: false }).compile(exportSchema())
    expect([HEADER, CATEGORY, { ...CATEGORY, more: 1 }].map(line => takes(line))).toEqual([true, true, true])
    expect([{ ...CATEGORY, name: 1 }, { type: 'other' }].map(line => takes(line))).toEqual([false, false])
  })
})

describe('an export', () => {
  it('may have members that this version does not know', async () => {
    const items = await read([
      { ...HEADER, more: 1 },
      { ...CATEGORY, colour: 'red' },
      { type: 'end', records: 1 },
    ])
    expect(items).toMatchObject([{ key: 'category:3', record: { ...CATEGORY, version: 1 } }])
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
    await expect(openSource([await fileOf(['something else'])], OPTIONS)).rejects.toThrow(
      'has no known format',
    )
    await expect(openSource(['missing.jsonl'], OPTIONS)).rejects.toThrow('There is no file missing.jsonl.')
  })
})
