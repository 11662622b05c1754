// Random histories with builders: they walk, pause and ask for changes at random moments, two of them when a
// webhook arrives. Whenever a builder is done, its copy is a full pull, byte by byte.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changeUser } from '../../shared/accounts/commands/users.ts'
import { findUserIdByEmail } from '../../shared/accounts/store/users.ts'
import type { User } from '../../shared/accounts/user.ts'
import type { EventMessage } from '../../shared/events/message.ts'
import { adminSite } from '../../shared/site/contract.ts'
import type { Action as TableAction } from '../../shared/table/action.ts'
import type { Table } from '../../shared/table/client.ts'
import { CHANGES_PARTITION } from '../../shared/table/design.ts'
import { checkRandom } from '../support/property.ts'
import { skipPauses } from '../support/skipped-pauses.ts'
import { unitOfWorkOn } from '../support/work.ts'
import { type Builder, fullPull, MENUS, openBuilder } from './builders/builder.ts'
import { openModel } from './model.ts'
import { fewPosts, START_MS, type Step, step } from './steps.ts'
import { takeStep } from './take-step.ts'
import { type HistoryWorld, openHistoryWorld } from './world.ts'

/** A reader's pause for a transaction only advances the time that pauses are measured by. */
skipPauses()

const SMALL = { range: 4, node: 4 }
const TIME_MS = 2_000
const CHECK_EVERY = 4

const location = fc.constantFrom(...MENUS)
/** `clockMs`: how wrong the clock of the writer is. */
const siteStep = fc.oneof(
  fc.record({ author: fc.constantFrom('Ada', 'Eve'), clockMs: fc.constantFrom(0, 0, 3_600_000, -3_600_000) }),
  fc.record({ siteName: fc.constantFrom('One', 'Two') }),
  fc.record({ menu: location, label: fc.constantFrom('A', 'B') }),
  fc.record({ noMenu: location }),
)
type SiteStep = typeof siteStep extends fc.Arbitrary<infer T> ? T : never

const action = fc.constantFrom('walk', 'walk', 'poll', 'start', 'wait', 'wait')
const turn = fc.record({
  step: fc.oneof({ weight: 6, arbitrary: step }, { weight: 1, arbitrary: siteStep }),
  /** What each of the builders does then. */
  actions: fc.tuple(action, action, action, action),
})
const history = fc.record({ fewPosts, turns: fc.array(turn, { minLength: 10, maxLength: 30 }) })
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never
type History = { fewPosts: Step; turns: { step: Step | SiteStep; actions: Action[] }[] }

const PER_ANSWER = [1, 3, 100, 7]
/** The first two builders are woken by webhooks. */
const WOKEN = 2

let histories = 0
let polls = 0

async function checkHistory({ fewPosts, turns }: History, planted?: (table: Table) => Table): Promise<void> {
  const world = await openHistoryWorld(START_MS, SMALL, planted)
  const model = openModel(START_MS)
  try {
    const builders = await Promise.all(PER_ANSWER.map(perAnswer => openBuilder(world, perAnswer)))
    const take = async (next: Step | SiteStep) => {
      await (isOfSite(next) ? takeSiteStep(world, model.nowSeconds(), next) : takeStep(world, model, next))
      const events = world.takeEvents()
      if (events.length > 0) for (const builder of builders.slice(0, WOKEN)) await wake(builder, events)
    }
    await take({ newCategory: 'First', slug: null })
    for (const [n, { step, actions }] of [{ step: fewPosts, actions: [] }, ...turns].entries()) {
      await take(step)
      for (const [m, builder] of builders.entries()) await act(builder, actions[m] ?? 'wait')
      if (n % CHECK_EVERY === 0) await expectEqualCopies(world, builders)
    }
    await take({ advanceMs: 100_000_000 })
    await expectEqualCopies(world, builders)
    await take({ catchUp: true })
    await expectEqualCopies(world, builders)
    histories++
  } finally {
    await world.stop()
  }
}

async function act(builder: Builder, what: Action): Promise<void> {
  if (what === 'walk') return await builder.walkOn()
  if (what === 'start') return await builder.start()
  if (what === 'poll') await builder.poll()
}

/** The changes have what the events are about, or `all`. A draft that is deleted is not public content. */
async function wake(builder: Builder, events: EventMessage[]): Promise<void> {
  const changes = await builder.poll()
  polls++
  if (changes.some(({ type }) => type === 'all')) return
  const named = new Set(changes.map(({ id }) => id))
  for (const { event, data } of events) {
    if (event !== 'post.deleted') expect(named, event).toContain(data.id)
  }
}

async function expectEqualCopies(world: HistoryWorld, builders: Builder[]): Promise<void> {
  const all = await fullPull(world)
  for (const builder of builders) {
    await builder.finish()
    expect(Object.fromEntries(builder.copy)).toEqual(Object.fromEntries(all))
    expect(await builder.poll()).toEqual([])
  }
}

function isOfSite(next: Step | SiteStep): next is SiteStep {
  return 'author' in next || 'siteName' in next || 'menu' in next || 'noMenu' in next
}

async function takeSiteStep(
  { call, table }: HistoryWorld,
  nowSeconds: number,
  next: SiteStep,
): Promise<void> {
  if ('author' in next) {
    const id = (await findUserIdByEmail(table, 'ada@example.com')) ?? 0
    const work = unitOfWorkOn(table, nowSeconds * 1000 + next.clockMs)
    const rename = (user: User) => (user.name === next.author ? user : { ...user, name: next.author })
    await changeUser(table, id, rename, change => work.commit(change))
  } else if ('siteName' in next) {
    await call(adminSite.changeSettings, { body: { 'general.site_name': next.siteName } })
  } else if ('menu' in next) {
    const items = [{ label: next.label, url: '/' }]
    await call(adminSite.putMenu, { params: { location: next.menu }, body: { items } })
  } else {
    await call(adminSite.deleteMenu, { params: { location: next.noMenu } })
  }
}

describe('copies of builders', () => {
  it('are a full pull, byte by byte, whenever a builder is done, in any history', async () => {
    await checkRandom(history, one => checkHistory(one), TIME_MS)
    console.info(`${histories} histories, builders were woken ${polls} times`)
  })
})

/** Changes whose rows are not written. */
function withoutRows(table: Table): Table {
  const isRow = (action: TableAction) => 'Put' in action && action.Put.Item.pk === CHANGES_PARTITION
  return { ...table, transact: actions => table.transact(actions.filter(action => !isRow(action))) }
}

describe('the check of copies', () => {
  it('finds a change without a row', async () => {
    const published: Step = { create: [{ title: 'Al', members: { isPublished: true } }] }
    const turns: History['turns'] = [{ step: published, actions: ['poll', 'poll', 'walk', 'start'] }]
    const one = { fewPosts: { create: [] }, turns }
    await checkHistory(one)
    await expect(checkHistory(one, withoutRows)).rejects.toThrow()
  })
})
