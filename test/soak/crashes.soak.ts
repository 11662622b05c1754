// A crash before and after each call that a write makes, and each that its worker makes: all of it is done, or nothing.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Interceptor } from '../../infra/local/faults/call.ts'
import { FAULT_KINDS } from '../../infra/local/faults/fault-kinds.ts'
import { act } from '../histories/acts.ts'
import { expectSame, lineOf } from '../histories/checks.ts'
import { expectDelivered } from '../histories/faulty-checks.ts'
import { type Hook, openHook } from '../histories/faulty-hook.ts'
import { type FaultyWorld, openFaultyWorld } from '../histories/faulty-world.ts'
import { type Model, openModel } from '../histories/model.ts'
import { START_MS, type Step } from '../histories/steps.ts'
import { startTable, type TableWorld } from '../world/table.ts'

vi.mock('node:timers/promises', async original => ({
  ...(await original<Record<string, unknown>>()),
  setTimeout: (_: number, value: unknown) => new Promise(resolve => setImmediate(resolve, value)),
}))

const KINDS_OF_CRASH = ['crashBefore', 'crashAfter'] as const
const SEED = 3

/** Ends whoever makes the nth call from now on, once. */
let armed: { nth: number; kind: (typeof KINDS_OF_CRASH)[number] } | undefined
const interceptor: Interceptor = (call, next, crash) => {
  if (!armed || --armed.nth > 0) return next(call)
  const { kind } = armed
  armed = undefined
  return FAULT_KINDS[kind].inject(call, next, { chance: 0, crash })
}

let database: TableWorld
let hook: Hook
let world: FaultyWorld
let model: Model
beforeAll(async () => {
  database = await startTable()
  hook = await openHook()
  const sizes = { range: 4, node: 4 }
  world = await openFaultyWorld(database, {
    startMs: START_MS,
    sizes,
    seed: SEED,
    hookUrl: hook.url,
    interceptor,
  })
  model = openModel(START_MS)
  await take({ newCategory: 'News', slug: null })
})
afterAll(async () => {
  await world.stop()
  await hook.stop()
  await database.stop()
})

function take(step: Step) {
  return act(world, model, step)
}

const events: string[] = []
async function settle(what: string) {
  await world.drain(model)
  model.announceDue()
  const told = world.takeEvents()
  events.push(...told.map(({ id }) => id))
  expect([what, told.map(lineOf).sort()]).toEqual([what, model.takeEvents().sort()])
}

const draft = { title: 'Zebra' as const, members: { isPublished: false, categories: [0] } }
const live = { title: 'Al' as const, members: { isPublished: true, categories: [0] } }
function last() {
  return model.posts().length - 1
}

/** What is there before, and the write that meets the crash. */
const WRITES: Record<string, { before?: Step; write: () => Step }> = {
  'a post that is made': { write: () => ({ create: [live] }) },
  'a publish': { before: { create: [draft] }, write: () => ({ publish: [last()] }) },
  'a change of slug and categories': {
    before: { create: [live] },
    write: () => ({ nth: last(), change: { slug: `al${events.length}`, categories: [] } }),
  },
  'a delete': { before: { create: [live] }, write: () => ({ remove: [last()] }) },
}

describe.each(Object.entries(WRITES))('%s', (name, { before, write }) => {
  it.each(KINDS_OF_CRASH)('and %s any of its calls', async kind => {
    let nth = 1
    for (let isMet = true; isMet; nth++) {
      if (before) await take(before)
      armed = { nth, kind }
      await take(write())
      isMet = armed === undefined
      armed = undefined
    }
    await settle(`${name}: ${kind}`)
    expect(nth).toBeGreaterThan(5)
  })
})

describe('what follows a publish', () => {
  it.each(KINDS_OF_CRASH)('and %s any call of its workers', async kind => {
    let nth = 1
    for (let isMet = true; isMet; nth++) {
      await take({ create: [live] })
      armed = { nth, kind }
      await settle(`${kind} of call ${nth}`)
      isMet = armed === undefined
      armed = undefined
    }
    expect(nth).toBeGreaterThan(35)
  })
})

describe('after all of that', () => {
  it('readers see what the model says, and every delivery is accounted for', async () => {
    await settle('the end')
    await expectSame(world, model, 5)
    await expectDelivered(world, events, hook.received)
  })
})
