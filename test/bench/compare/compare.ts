// Measures one or two checkouts in one run: in turns, with the services of both up.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { memoryOfTree } from '../../support/processes.ts'
import type { Site } from '../site.ts'
import { BENCH_FOLDER, type Checkout } from './checkout.ts'
import { type Amounts, type Figures, mediansOf } from './figures.ts'
import { timeBusyReads, timeFirstReads, timeReads } from './reads.ts'
import { type RunningService, startService } from './service.ts'
import { copyOf, siteOf } from './state.ts'
import { timeDeliveries, timePublishes } from './writes.ts'

export type Side = { name: string; checkout: Checkout; figures: Figures }
type Log = (line: string) => void
type Measurement = (service: RunningService, site: Site, amounts: Amounts) => Promise<Figures>

const IN_TURNS: Record<string, Measurement> = {
  reads: timeReads,
  'first reads': timeFirstReads,
  'reads while posts are published': timeBusyReads,
  publishes: (service, _, amounts) => timePublishes(service, amounts),
  deliveries: (service, _, amounts) => timeDeliveries(service, amounts),
}

/** `folder`: content to import, in a format that `npm start -- --import` takes. */
export type Options = { site: Site; amounts: Amounts; folder: string | undefined; log: Log }

/** Adds the figures of each side. */
export async function compare(sides: Side[], { site, amounts, folder, log }: Options): Promise<void> {
  for (const side of sides) {
    log(`${side.name}: starts`)
    Object.assign(side.figures, await timeStarts(side))
  }
  for (const side of folder === undefined ? [] : sides) {
    log(`${side.name}: import of ${folder}`)
    side.figures['import.real'] = await timeImport(side, folder ?? '')
  }
  const services: { side: Side; service: RunningService; rounds: Figures[] }[] = []
  try {
    for (const side of sides) {
      const made = await siteOf(side.checkout, site, log)
      side.figures['import.site'] = made.importedAfterS
      const service = await startService(side.checkout, await copyOf(made.folder, `copy-${services.length}`))
      services.push({ side, service, rounds: [] })
    }
    await pause(amounts.idleMs)
    for (const { side, service } of services) side.figures['memory.idle'] = memoryOfTree(service.pid)
    for (let round = 1; round <= amounts.rounds; round++) {
      for (const [what, measure] of Object.entries(IN_TURNS)) {
        log(`Round ${round}: ${what}`)
        for (const { service, rounds } of services) {
          rounds[round - 1] = { ...rounds[round - 1], ...(await measure(service, site, amounts)) }
        }
      }
      // What follows the writes of one service would take time from the other one.
      await pause(amounts.idleMs)
      services.reverse()
    }
    for (const { side, service, rounds } of services) {
      Object.assign(side.figures, mediansOf(rounds), { 'memory.busy': memoryOfTree(service.pid) })
    }
  } finally {
    for (const { service } of services) await service.stop()
  }
}

/** `.local` of the checkout has what an earlier start has made. */
async function timeStarts({ checkout }: Side): Promise<Figures> {
  await rm(join(checkout.folder, '.local'), { recursive: true, force: true })
  return await withEmptyState(async state => {
    const start = async () => {
      const service = await startService(checkout, state)
      await service.stop()
      return service.answeredAfterS
    }
    return { 'start.fresh': await start(), 'start.again': await start() }
  })
}

async function timeImport({ checkout }: Side, folder: string): Promise<number> {
  return await withEmptyState(async state => {
    // The first start makes the account that becomes the author.
    await (await startService(checkout, state, ['--empty'])).stop()
    const service = await startService(checkout, state, ['--import', folder])
    await service.stop()
    return service.readyAfterS
  })
}

async function withEmptyState<T>(run: (state: string) => Promise<T>): Promise<T> {
  const folder = join(BENCH_FOLDER, `empty-${process.pid}`)
  const result = await run(join(folder, 'state'))
  await rm(folder, { recursive: true })
  return result
}
