// An import or export that is killed at any moment: the next run completes it, and nothing is there twice.
import { mkdir, readFile, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { diagnose } from '../../infra/operator/doctor/doctor.ts'
import { exportAll } from '../../infra/operator/import-export/export/export.ts'
import { importSource } from '../../infra/operator/import-export/import/import.ts'
import { openSource } from '../../infra/operator/import-export/sources/source.ts'
import { useTable } from '../support/new-table.ts'
import { folderOf, NOW_SECONDS } from './read.ts'
import { smallExport, textOf } from './small-export.ts'
import { contextOn, empty } from './table-context.ts'

const SMALL = textOf(smallExport(16))

const world = useTable()

async function importAfter(file: string, writes = Number.POSITIVE_INFINITY): Promise<boolean> {
  const context = contextOn(world, writes)
  try {
    await importSource(context, await openSource([file], { nowSeconds: NOW_SECONDS }), {})
  } catch (error) {
    if (!context.isKilled()) throw error
  }
  return context.isKilled()
}

/** All records as an export has them, without the name of the site. */
async function recordsIn(): Promise<string> {
  let text = ''
  const writeOut = async (piece: string) => {
    text += piece
  }
  await exportAll({ ...contextOn(world), writeOut }, { out: undefined, withPasswords: false })
  return text.slice(text.indexOf('\n'))
}

describe('an export', () => {
  it('has one last line, although the first run died between that line and the end', async () => {
    await empty(world)
    const folder = await folderOf({ 'small.jsonl': SMALL })
    await importAfter(join(folder, 'small.jsonl'))
    const out = join(folder, 'out.jsonl')
    const request = { out, withPasswords: false }
    // The complete file cannot get its name.
    await mkdir(out)
    await expect(exportAll(contextOn(world), request)).rejects.toThrow('EISDIR')
    await rmdir(out)
    const records = await exportAll(contextOn(world), request)
    const lines = (await readFile(out, 'utf8')).trim().split('\n')
    expect(lines).toHaveLength(records + 2)
    expect(lines.filter(line => line.includes('"type":"end"'))).toEqual([lines.at(-1)])
  })
})

describe('an import', () => {
  it('is completed by a second run, after whichever write it was killed', async () => {
    const file = join(await folderOf({ 'small.jsonl': SMALL }), 'small.jsonl')
    await importAfter(file)
    const whole = await recordsIn()
    expect(whole).toContain('"slug":"post-1"')
    let runs = 0
    for (let writes = 1, isKilled = true; isKilled; writes += writes < 8 ? 1 : 3) {
      await empty(world)
      isKilled = await importAfter(file, writes)
      await importAfter(file)
      expect([writes, await recordsIn()]).toEqual([writes, whole])
      const { problems } = await diagnose(contextOn(world), false)
      expect([writes, problems]).toEqual([writes, []])
      runs++
    }
    expect(runs).toBeGreaterThan(10)
  })
})
