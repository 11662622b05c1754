// The feed: places rise in the order of the commits, whatever the clocks of the writers say.
import type { TransactWriteItemsInput } from '@aws-sdk/client-dynamodb'
import { describe, expect, it } from 'vitest'
import { AwsError } from '../../shared/aws/client.ts'
import { findLastPlace, listChanges } from '../../shared/feed/changes.ts'
import { commitPublicly, type PublicChange } from '../../shared/feed/commit.ts'
import { PLACES_PER_MS } from '../../shared/feed/note.ts'
import { CONFLICT, failedAs, isNew } from '../../shared/table/action.ts'
import { openTable, type Table } from '../../shared/table/client.ts'
import { postKey } from '../../shared/table/design.ts'
import { newTable, useTable } from '../support/new-table.ts'
import { until } from '../support/until.ts'

const NOW_MS = Date.parse('2026-01-01T12:00:00Z')
const LATER_MS = NOW_MS + 60_000
const DAY_MS = 86_400_000

function menuChange(location: string): PublicChange {
  return { raised: 'names', notes: [{ kind: 'menu', location }] }
}

const world = useTable()

/** A function of its own: it knows no place. */
function newFunction() {
  return openTable(world.client, world.tableName)
}

function msOf(place: unknown): number {
  return Math.floor(Number(place) / PLACES_PER_MS)
}

/** As requests do: on a busy machine, those with the later clocks may be quicker until the deadline. */
async function commitAtLast(table: Table, change: PublicChange, nowMs: number): Promise<void> {
  await until('the commit', async () => {
    const problem = await commitPublicly(table, [], change, () => nowMs).catch((error: unknown) => error)
    if (problem !== undefined && !failedAs(problem, CONFLICT)) throw problem
    return problem === undefined
  })
}

async function readAll(nowMs = LATER_MS, after = 0) {
  const rows = await listChanges({ table: newFunction(), nowMs }, after, 1_000)
  return rows.flatMap(({ notes }) => notes.map(note => (note.kind === 'menu' ? note.location : note.kind)))
}

describe('a change of public content', () => {
  it('has a place after all that were committed before, by a clock that is ahead or behind', async () => {
    const [first, second, third] = [newFunction(), newFunction(), newFunction()]
    const after = await findLastPlace({ table: first, nowMs: LATER_MS })
    await commitPublicly(first, [], menuChange('on-time'), () => NOW_MS)
    await commitPublicly(second, [], menuChange('an-hour-ahead'), () => NOW_MS + 3_600_000)
    await commitPublicly(third, [], menuChange('a-day-behind'), () => NOW_MS - DAY_MS)
    await commitPublicly(first, [], menuChange('on-time-again'), () => NOW_MS + 1)
    expect(await readAll(LATER_MS, after)).toEqual([
      'on-time',
      'an-hour-ahead',
      'a-day-behind',
      'on-time-again',
    ])
  })

  it('is never written below a change that a reader may have seen, however many functions write at once', async () => {
    const functions = Array.from({ length: 4 }, newFunction)
    let place = await findLastPlace({ table: world.table, nowMs: LATER_MS })
    const start = place
    const seen: number[] = []
    const writing = Promise.all(
      functions.map(async (table, n) => {
        for (let m = 0; m < 6; m++) {
          await commitAtLast(table, menuChange(`m-${n}-${m}`), NOW_MS + n * 400)
        }
      }),
    )
    let isOver = false
    const reading = (async () => {
      while (!isOver) {
        // So late by its clock that it never waits.
        const rows = await listChanges({ table: world.table, nowMs: NOW_MS + 10 * DAY_MS }, place, 1_000)
        for (const row of rows) seen.push(row.place)
        place = rows.at(-1)?.place ?? place
      }
    })()
    await writing
    isOver = true
    await reading
    const all = await listChanges({ table: world.table, nowMs: NOW_MS + 10 * DAY_MS }, start, 1_000)
    expect(all).toHaveLength(24)
    const rest = all.map(row => row.place).filter(written => written > place)
    expect([...seen, ...rest]).toEqual(all.map(row => row.place))
  })

  it('is written whole or not at all', async () => {
    const before = await readAll()
    const action = { onConditionFailed: CONFLICT, Put: { Item: { ...postKey(1) }, ...isNew } }
    await commitPublicly(newFunction(), [action], menuChange('once'), () => NOW_MS)
    await expect(
      commitPublicly(newFunction(), [action], menuChange('twice'), () => NOW_MS + 10 * DAY_MS),
    ).rejects.toThrow(CONFLICT)
    expect(await readAll()).toEqual([...before, 'once'])
  })

  it('costs two write units and no read more than without its row', async () => {
    const own = await newTable()
    const costOf = async (change: PublicChange) =>
      (await own.measure(() => commitPublicly(own.table, [], change, () => NOW_MS))).used
    const without = await costOf({ raised: 'content', notes: [] })
    const used = await costOf({ raised: 'content', notes: menuChange('cost').notes })
    expect([used.writeUnits - without.writeUnits, used.readUnits, used.calls]).toEqual([2, 0, 1])
    await own.stop()
  })

  it('takes a new place after a conflict, since another change was quicker', async () => {
    const own = await newTable()
    let nowMs = NOW_MS
    const places: unknown[] = []
    own.client.around(async (next, operation, input) => {
      const { TransactItems = [] }: TransactWriteItemsInput = Object(input)
      if (operation !== 'TransactWriteItems') return await next()
      places.push(msOf(TransactItems.at(-1)?.Put?.Item?.place?.N))
      nowMs += 5
      if (places.length > 2) return await next()
      const CancellationReasons = [{ Code: 'TransactionConflict' }]
      throw new AwsError('TransactionCanceledException', 400, { CancellationReasons })
    })
    await commitPublicly(own.table, [], menuChange('contended'), () => nowMs)
    expect(places).toEqual([NOW_MS, NOW_MS + 5, NOW_MS + 10])
    const rows = await listChanges({ table: own.table, nowMs: LATER_MS }, 0, 10)
    expect(rows.map(({ place }) => msOf(place))).toEqual([NOW_MS + 10])
    await own.stop()
  })

  it('has a row of its own for what became due while it was being written', async () => {
    const own = await newTable()
    let nowMs = NOW_MS
    own.client.around(async next => {
      const answer = await next()
      nowMs += 5
      return answer
    })
    const change = (atMs: number): PublicChange => ({
      raised: 'content',
      notes: atMs > NOW_MS ? menuChange('due').notes : [],
    })
    await commitPublicly(own.table, [], change, () => nowMs)
    const rows = await listChanges({ table: own.table, nowMs: LATER_MS }, 0, 10)
    expect(rows.map(({ notes }) => notes)).toEqual([menuChange('due').notes])
    await own.stop()
  })

  it('is read for 32 days, whether or not it was deleted since', async () => {
    const own = await newTable()
    await commitPublicly(own.table, [], menuChange('old'), () => NOW_MS)
    const readAt = (nowMs: number) => listChanges({ table: own.table, nowMs }, 0, 10)
    expect(await readAt(NOW_MS + 32 * DAY_MS - 1_000)).toHaveLength(1)
    expect(await readAt(NOW_MS + 32 * DAY_MS)).toHaveLength(0)
    await own.stop()
  })
})

describe('a reader', () => {
  it('waits until a change that it sees for the first time is visible as a whole', async () => {
    const own = await newTable()
    await commitPublicly(own.table, [], menuChange('fresh'), () => NOW_MS)
    const read = async () => {
      const startMs = performance.now()
      expect(await listChanges({ table: own.table, nowMs: NOW_MS + 10 }, 0, 10)).toHaveLength(1)
      return performance.now() - startMs
    }
    expect(await read()).toBeGreaterThanOrEqual(199)
    const { used } = await own.measure(read)
    // It has waited once: one query, without another one after a pause.
    expect(used.calls).toBe(1)
    await own.stop()
  })
})
