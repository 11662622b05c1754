// Changes of posts, runs of the index worker that may be killed, and searches between them.
import { expect } from 'vitest'
import type { SearchDocument } from '../../shared/search/document.ts'
import { storedDoc } from '../../shared/search/documents.ts'
import { MAX_PENDING_UNITS } from '../../shared/search/hits.ts'
import { packDoc, replaceDoc } from '../../shared/search/index-actions.ts'
import { readIndexState } from '../../shared/search/index-state.ts'
import { updateIndex } from '../../shared/search/update-index.ts'
import type { Table } from '../../shared/table/client.ts'
import { docKey } from '../../shared/table/design.ts'
import { newTable } from '../support/new-table.ts'
import { documentOf, type Step } from './index-steps.ts'
import { expectHits, type Search } from './scan.ts'

const WORDS_OF_SEARCHES = [
  ['ab'],
  ['abc'],
  ['abcd'],
  ['ba'],
  ['zz'],
  ['ab', 'ba'],
  ['abcd', 'bad'],
  ['abc', 'zz', 'ba'],
]
const SEARCHES = WORDS_OF_SEARCHES.flatMap(words =>
  [undefined, 1].flatMap(categoryId =>
    (['all', 'posts'] as const).map((types): Search => ({ words, categoryId, types })),
  ),
)
/** Read units of which some pending posts are not looked through. */
export const FEW_UNITS = 5
/** After each other step; all of them in the end. */
const SEARCHES_A_STEP = 3
/** What a swap left can be deleted after this time. */
const LATER_MS = 12_000
const STEP_MS = 100

export type History = {
  table: Table
  /** A run of the worker, `laterMs` after the time of the history. */
  merge: (laterMs: number) => Promise<void>
  expectAll: () => Promise<void>
}

/** The table as writers of posts, the worker and searches use it, if it is not the plain one. */
export type Tables = Partial<Record<'writer' | 'worker' | 'reader', (history: History) => Table>>

/** With fewer units for pending documents, posts that are pending may be missing in searches. */
export async function checkHistory(
  steps: Step[],
  tables: Tables = {},
  maxPendingUnits = MAX_PENDING_UNITS,
): Promise<void> {
  const world = await newTable()
  const { table } = world
  const model = new Map<number, SearchDocument>()
  let [revision, nowMs, searched] = [0, 1_000_000, 0]

  const run = async (on: Table, laterMs = 0) => {
    await updateIndex({ table: on, clock: () => nowMs + laterMs })
  }
  const expectSome = async (searches: Search[]) => {
    const isExact = maxPendingUnits === MAX_PENDING_UNITS
    const pending = isExact ? [] : (await readIndexState(table)).pending
    const mayMiss = pending.map(({ id }) => id)
    for (const search of searches) {
      await expectHits({ table: reader, maxPendingUnits }, model.values(), search, mayMiss)
    }
  }
  const history = {
    table,
    merge: (laterMs: number) => run(table, laterMs),
    expectAll: () => expectSome(SEARCHES),
  }
  const writer = tables.writer?.(history) ?? table
  const worker = tables.worker?.(history) ?? table
  const reader = tables.reader?.(history) ?? table

  const change = async (id: number, doc: SearchDocument | 'left') => {
    const [item] = await table.findMany([docKey(id)])
    revision++
    const packed = doc === 'left' ? undefined : await packDoc(doc, revision)
    await writer.transact(replaceDoc({ id, revision, doc: packed }, storedDoc(item), nowMs))
  }
  const take = async (step: Step) => {
    if (step === 'later') {
      nowMs += LATER_MS
    } else if (step === 'search') {
      await expectSome(SEARCHES)
    } else if (step === 'merge') {
      await run(worker)
    } else if ('killBefore' in step) {
      await run(killed(worker, step.killBefore)).catch(expectKilled)
    } else if ('remove' in step) {
      if (model.delete(step.remove)) await change(step.remove, 'left')
    } else {
      const doc = documentOf(step.id, step.content)
      model.set(step.id, doc)
      await change(step.id, doc)
    }
  }

  try {
    for (const step of steps) {
      nowMs += STEP_MS
      await take(step)
      await expectSome(
        Array.from({ length: SEARCHES_A_STEP }, () => SEARCHES[searched++ % SEARCHES.length] ?? NO_SEARCH),
      )
    }
    await run(worker)
    await expectSome(SEARCHES)
    for (const id of model.keys()) await change(id, 'left')
    model.clear()
    for (let n = 0; n < 4; n++) {
      await run(worker)
      nowMs += LATER_MS
    }
    const { manifest, markers } = await readIndexState(table)
    const left = (await world.dump()).filter(({ pk }) => /^(SEGMENT|DOC)#/.test(pk))
    expect([manifest?.segments ?? [], markers, left]).toEqual([[], [], []])
  } finally {
    await world.stop()
  }
}

const NO_SEARCH: Search = { words: [], types: 'all' }

export const KILLED = 'The run was killed.'

/** The table for a run that is killed before its nth call. */
export function killed(table: Table, nth: number): Table {
  let calls = 0
  return new Proxy(table, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (...args: unknown[]) => {
        if (++calls >= nth) throw new Error(KILLED)
        return await member(...args)
      }
    },
  })
}

export function expectKilled(problem: unknown): void {
  if (!String(problem).includes(KILLED)) throw problem
}
