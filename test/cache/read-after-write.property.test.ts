// Readers in several functions, which remember what they have read, while writers change everything that is
// public: no reader sees less than what was acknowledged before it asked.
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openContent } from '../../shared/cache/content.ts'
import type { Action } from '../../shared/table/action.ts'
import { openTable, type Table } from '../../shared/table/client.ts'
import { kindOf } from '../../shared/table/design.ts'
import { newTable } from '../support/new-table.ts'
import { checkRandom } from '../support/property.ts'
import { contentIsRemembered } from '../support/remembered.ts'
import { NOW_MS, openPlaces, PLACES, type Place } from './places.ts'

const READERS = 3

/** By round: the places that are written, side by side with readers of all of them. */
type History = number[][]

const histories: fc.Arbitrary<History> = fc.array(
  fc.uniqueArray(fc.nat({ max: PLACES - 1 }), { minLength: 1, maxLength: 3 }),
  { minLength: 1, maxLength: 6 },
)

type Readers = { rememberAll: () => Promise<void> }

/** `writersOf`: the table as writers use it. */
async function check(history: History, writersOf: (table: Table, readers: Readers) => Table): Promise<void> {
  const world = await newTable()
  try {
    const functions = Array.from({ length: READERS }, () => openTable(world.client, world.tableName))
    let places: Place[] = []
    let acknowledged: number[] = []

    const readAll = async (table: Table) => {
      const atLeast = [...acknowledged]
      const content = await openContent(table, NOW_MS)
      const seen = await Promise.all(places.map(place => place.read(content)))
      for (const [n, number] of seen.entries()) {
        if (number < (atLeast[n] ?? 0)) throw new Error(`Place ${n} showed ${number} after ${atLeast[n]}.`)
      }
    }
    const rememberAll = async () => {
      await Promise.all(functions.map(table => contentIsRemembered(table, NOW_MS)))
      await Promise.all(functions.map(readAll))
    }
    places = await openPlaces(writersOf(world.table, { rememberAll }))
    acknowledged = places.map(() => 0)

    for (const [round, chosen] of history.entries()) {
      // Each function remembers all places, so that it has something to forget.
      await rememberAll()
      let isWriting = true
      const writing = chosen.map(async n => {
        await places[n]?.write(round + 1)
        acknowledged[n] = round + 1
        await Promise.all(functions.map(readAll))
      })
      const reading = functions.map(async table => {
        while (isWriting) {
          await readAll(table)
          await pause(20)
        }
      })
      const written = Promise.all(writing).finally(() => {
        isWriting = false
      })
      await Promise.all([written, ...reading])
    }
    await rememberAll()
    await rememberAll()
  } finally {
    await world.stop()
  }
}

function isOfVersion(action: Action): boolean {
  return 'Update' in action && kindOf(action.Update.Key.pk) === 'VERSION'
}

/** Each transaction shows the new version first, and all else when `between` has ended. */
function torn(table: Table, between: () => Promise<unknown>): Table {
  const transact = async (actions: Action[]) => {
    await table.transact(actions.filter(isOfVersion))
    await between()
    await table.transact(actions.filter(action => !isOfVersion(action)))
  }
  return { ...table, transact }
}

describe('readers in several functions that remember public content', () => {
  it('see at least what was acknowledged before they asked', () =>
    checkRandom(histories, history => check(history, table => table), 1_500))

  it('do so if a transaction becomes visible piece by piece', () =>
    checkRandom(histories, history => check(history, table => torn(table, () => pause(30))), 1_500))
})

/** Every place is written in a round of its own, so that each fault is met. */
const EACH_PLACE = Array.from({ length: PLACES }, (_, n) => [n])

describe('the check of readers', () => {
  it('finds a writer that does not raise the version', async () => {
    for (const history of EACH_PLACE) {
      const withoutRaise = (table: Table): Table => ({
        ...table,
        transact: actions => table.transact(actions.filter(action => !isOfVersion(action))),
      })
      await expect(check([history], withoutRaise)).rejects.toThrow('showed 0 after 1')
    }
  })

  it('finds content that is remembered before all of a transaction is visible', async () => {
    const tornForLong = (table: Table, { rememberAll }: Readers) => torn(table, rememberAll)
    await expect(check([[0]], tornForLong)).rejects.toThrow('showed 0 after 1')
  })
})
