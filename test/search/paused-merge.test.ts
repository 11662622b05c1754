// A merge of large segments that takes many runs, each of which may be killed before any of its calls.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { updateIndex } from '../../shared/search/commands/update-index.ts'
import type { SearchDocument } from '../../shared/search/document.ts'
import { FEW_SEGMENTS } from '../../shared/search/merge-plan.ts'
import { PENDING_BOUNDS, readIndexState } from '../../shared/search/store/index-state.ts'
import type { Table } from '../../shared/table/client.ts'
import { buildKey, kindOf } from '../../shared/table/design.ts'
import { newTable } from '../world/new-table.ts'
import { expectKilled, KILLED, killed } from './index-history.ts'
import { putDocuments } from './put-documents.ts'
import { expectHits } from './scan.ts'

const AnyItem = z.looseObject({})
const WORDS = 1_500
const LONGEST_MERGE = 200

function docOf(id: number): SearchDocument {
  const own = Array.from({ length: WORDS }, (_, n) => `${'bcdfghjklm'[n % 10]}a${id}x${n * 7919}`)
  const body = [...own, 'common'].sort()
  const rest = { posted_at: 1_000 + id, is_page: false, category_ids: [], body_sha256: '' }
  return { id, ...rest, title: [], short: [], body }
}

const DOCS = Array.from({ length: FEW_SEGMENTS + 1 }, (_, n) => docOf(n + 1))
/** From all of the segment, since each page of it can be lost. */
const SOME_WORDS = DOCS.flatMap(({ body }) => body.filter((_, n) => n % 500 === 0))

/** The number of runs. `tableOf`: the table as the worker uses it. */
async function mergeInSteps(tableOf: (table: Table) => Table): Promise<number> {
  const { table, stop } = await newTable()
  const run = async (on: Table, runMs: number) =>
    await updateIndex({ table: on, nowMs: 0, log: () => undefined }, runMs)
  const expectWords = async (words: string[]) => {
    const where = { table, bounds: PENDING_BOUNDS }
    for (const word of words) await expectHits(where, DOCS, { words: [word], types: 'all' }, [])
  }
  try {
    for (const doc of DOCS) {
      await putDocuments(table, [doc])
      // The last segment is the reason for a merge, which no run has begun.
      if (doc !== DOCS.at(-1)) await run(table, 0)
    }
    for (let runs = 1; runs < LONGEST_MERGE; runs++) {
      const outcome = await run(killed(tableOf(table), runs), 0).catch(expectKilled)
      await expectWords(['common'])
      if (outcome !== 'done') continue
      await expectWords(SOME_WORDS)
      expect((await readIndexState(table)).manifest?.segments.length).toBe(1)
      return runs
    }
    throw new Error('The merge did not end.')
  } finally {
    await stop()
  }
}

/** How far a merge is gets saved before the items that it has, and the run is killed in between. */
function progressSavedFirst(table: Table): Table {
  let held = false
  return {
    ...table,
    write: async (action, timeoutMs) => {
      await table.write(action, timeoutMs)
      if ('Put' in action && action.Put.Item.pk === buildKey('merge').pk && held) throw new Error(KILLED)
    },
    putMany: async items => {
      const build = await table.query({ pk: buildKey('merge').pk }, AnyItem)
      held = items.some(({ pk }) => kindOf(pk) === 'SEGMENT') && build.length > 0
      if (!held) await table.putMany(items)
    },
  }
}

describe('a merge in many runs', () => {
  it('has all words after it, and searches have all hits during it, though runs are killed', async () => {
    expect(await mergeInSteps(table => table)).toBeGreaterThan(5)
  })

  it('is found to fail if a run saves how far it is before it has written the items', async () => {
    await expect(mergeInSteps(progressSavedFirst)).rejects.toThrow('of the search index does not exist')
  })
})
