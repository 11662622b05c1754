// Measures the speed of one checkout, or of several in turns in one run.

import { totalOf } from '../traffic.ts'
import { type DeliveryLoad, measureDeliveries } from './deliveries.ts'
import { timeInTurns } from './in-turns.ts'
import { measureMemory } from './memory.ts'
import { countReads, type ReadCosts, readsOf, timeDelayed } from './reads.ts'
import { type Figures, openSide, publish, restart, type Side, send, withService } from './side.ts'
import { openTexts } from './texts.ts'
import { makeVariants, PLAIN, type Variant, withCopy } from './variants.ts'
import { countPublishes, delayedPublishes, measureBurst } from './writes.ts'

export type Site = { count: number; seed: number }

/** How much is measured. `few` and `many` are numbers of subscribers. */
export type Amounts = {
  /** From the smallest to the largest, of which there are variants. */
  sites: Site[]
  variants: Variant[]
  rounds: number
  requests: number
  forMs: number
  /** Publishes right before publishes are timed. */
  warm: number
  posts: number
  burst: number
  few: DeliveryLoad
  many: DeliveryLoad
}

export type CostsOfVariant = { variant: Variant; costs: ReadCosts }
/** `figures` of each site; those that do not depend on its size are with the last one. */
export type Measured = { name: string; figures: Figures[]; reads: CostsOfVariant[] }
export type Log = (line: string) => void
type Options = { checkouts: { name: string; folder: string }[]; amounts: Amounts; log: Log }

export async function measureSpeed({ checkouts, amounts, log }: Options): Promise<Measured[]> {
  const sides = checkouts.map(({ name, folder }) => openSide(name, folder))
  const measured = sides.map(({ name }): Measured => ({ name, figures: [], reads: [] }))
  try {
    for (const site of amounts.sites) {
      const isLargest = site === amounts.sites.at(-1)
      const costs = await measureSite(sides, site, isLargest ? amounts : { ...amounts, variants: [] }, log)
      for (const [n, { figures, reads }] of costs.entries()) {
        measured[n]?.figures.push(figures)
        if (isLargest) measured[n]?.reads.push(...reads)
      }
    }
    for (const [n, side] of sides.entries()) {
      Object.assign(measured[n]?.figures.at(-1) ?? {}, await measureFollowers(side, amounts, log))
    }
    return measured
  } finally {
    await Promise.all(sides.map(({ host }) => host.exit()))
  }
}

/** The figures of each side on a site of one size. */
async function measureSite(sides: Side[], site: Site, amounts: Amounts, log: Log) {
  const sites: { side: Side; folder: string }[] = []
  for (const side of sides) {
    log(`${side.name}: the site of ${site.count.toLocaleString('en')} posts …`)
    sites.push({ side, folder: await side.host.loadSite(site.count, site.seed) })
    await restart(side)
  }
  log('Times, in turns …')
  const times = await timeInTurns(sites, site, amounts)
  const measured: { figures: Figures; reads: CostsOfVariant[] }[] = []
  for (const { side, folder } of sites) {
    const { reads, figures } = await countCosts(side, site, folder, amounts, log)
    log(`${side.name}: memory …`)
    const memory = await withCopy(folder, copy => measureMemory(side, copy, site, amounts.forMs))
    const all = { ...times.get(side), ...figures, ...memory }
    // A run takes an hour: should it end early, these are not lost.
    log(`${side.name}, ${site.count} posts: ${JSON.stringify(all)}`)
    measured.push({ reads, figures: all })
  }
  return measured
}

/** What reads and publishes cost by count, and how long they take when calls take as long as on AWS. */
async function countCosts(side: Side, site: Site, base: string, amounts: Amounts, log: Log) {
  const figures: Figures = {}
  const reads: CostsOfVariant[] = []
  const folders = await makeVariants(side, base, amounts.variants)
  const sites = [PLAIN, ...amounts.variants].map((variant, n) => ({
    variant,
    folder: [base, ...folders][n] ?? base,
  }))
  for (const { variant, folder } of sites) {
    log(`${side.name}: costs with ${variant.categories} categories, ${variant.scheduled} scheduled posts …`)
    const measure = async () => {
      if (variant === PLAIN) figures['cold.calls'] = await coldCalls(side)
      const rows = await readsOf(side, site)
      reads.push({ variant, costs: await countReads(side, rows, await openChange(side)) })
      if (variant !== PLAIN) return
      const textOf = openTexts()
      Object.assign(figures, await timeDelayed(side, rows, amounts.requests / 4, 'aws'))
      Object.assign(figures, await delayedPublishes(side, textOf, amounts.posts / 8))
      Object.assign(figures, await countPublishes(side, textOf, amounts.posts))
    }
    await withCopy(folder, copy => withService(side, { folder: copy, isCounted: true }, measure))
  }
  return { figures, reads }
}

/** The calls of the first request that a function answers, with those of its initialization. */
async function coldCalls(side: Side): Promise<number> {
  await side.host.takeTraffic()
  await send(side, 'GET', 'posts')
  return totalOf(await side.host.takeTraffic()).calls
}

/** Returns a change of public content: another title of a post. */
async function openChange(side: Side): Promise<() => Promise<unknown>> {
  const { id } = await publish(side, { title: 'A post that changes', body: '<p>Now and then.</p>' })
  let changes = 0
  return () => send(side, 'PATCH', `admin/posts/${id}`, { body: { title: `Changed, ${++changes}` } })
}

/** Bursts and deliveries, each on a service of its own without other content. */
async function measureFollowers(side: Side, { burst, few, many }: Amounts, log: Log): Promise<Figures> {
  const alone = <T>(what: string, isCounted: boolean, run: () => Promise<T>) => {
    log(`${side.name}: ${what} …`)
    return withService(side, { isCounted }, run)
  }
  const deliver = (load: DeliveryLoad) => () => measureDeliveries(side, openTexts(), load)
  const burstOf = () => measureBurst(side, openTexts(), burst)
  return {
    ...(await alone('costs of a burst', true, burstOf)),
    ...only(await alone('times of a burst', false, burstOf), 'burst.answered', 'burst.found', 'burst.merged'),
    ...named('few', await alone(`${few.subscribers} subscribers`, false, deliver(few))),
    ...named('many', await alone(`${many.subscribers} subscribers`, true, deliver(many))),
  }
}

function only(figures: Figures, ...keys: string[]): Figures {
  return Object.fromEntries(Object.entries(figures).filter(([key]) => keys.includes(key)))
}

function named(name: string, figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).map(([key, value]) => [`${name}.${key}`, value]))
}
