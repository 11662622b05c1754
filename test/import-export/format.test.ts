// The format of exports: the schema that ships with it, and what a reader refuses.
import { Ajv2020 as Ajv } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { exportSchema } from '../../infra/operator/import-export/format.ts'
import { read, readContent } from './read.ts'
import { lineOf, smallExport, textOf } from './small-export.ts'

const HEADER = { ...lineOf(smallExport(0), 'header'), last_ids: { category: 3 } }
const CATEGORY = { type: 'category', id: 3, name: 'News', slug: 'news', description: '' }

async function readLines(lines: unknown[]) {
  return await readContent('site.jsonl', textOf(lines))
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
    const { entries } = await readLines([
      { ...HEADER, more: 1 },
      { ...CATEGORY, colour: 'red' },
      { type: 'end', records: 1 },
    ])
    expect(entries).toMatchObject([{ key: 'category:3', record: { ...CATEGORY, version: 1 } }])
  })

  it('is refused if its version is newer than the program', async () => {
    await expect(readLines([{ ...HEADER, version: 2 }])).rejects.toThrow('Import it with a newer version')
  })

  it('names the line and the member of a record that is wrong', async () => {
    const lines = [HEADER, { ...CATEGORY, name: '' }, '{', { type: 'end', records: 2 }]
    const { wrong, entries } = await readLines(lines)
    expect(wrong).toEqual(['line 2 (news): name: Is required.', expect.stringContaining('line 3: ')])
    expect(entries).toEqual([])
  })

  it('is found by its name, and any other file is refused with the names of the formats', async () => {
    await expect(readLines(['something else'])).rejects.toThrow('is no export of this service')
    await expect(readContent('a.txt', '')).rejects.toThrow('.jsonl (own), .json (ghost), .xml (wordpress)')
    await expect(read('missing.jsonl')).rejects.toThrow('There is no file missing.jsonl.')
  })
})
