// Times the checkouts in turns, while the services of all of them run, so that other load affects them alike.
import { readsOf, timeReads } from './reads.ts'
import { type Figures, median, type Side, withService } from './side.ts'
import type { Amounts, Site } from './speed.ts'
import { openTexts } from './texts.ts'
import { withCopy } from './variants.ts'
import { timePublishes } from './writes.ts'

type LoadedSide = { side: Side; folder: string }

/** The medians of all rounds. */
export async function timeInTurns(
  sites: LoadedSide[],
  site: Site,
  amounts: Amounts,
): Promise<Map<Side, Figures>> {
  const rounds = new Map(sites.map(({ side }) => [side, [] as Figures[]]))
  const texts = new Map(sites.map(({ side }) => [side, openTexts()]))
  await withAll(sites, async () => {
    for (let round = 0; round < amounts.rounds; round++) {
      for (const { side } of sites) {
        const reads = await timeReads(side, await readsOf(side, site), amounts)
        const writes = await timePublishes(side, texts.get(side) ?? openTexts(), amounts)
        rounds.get(side)?.push({ ...reads, ...writes })
      }
    }
  })
  return new Map(sites.map(({ side }) => [side, medians(rounds.get(side) ?? [])]))
}

/** Runs the services of all sides on copies of their sites. */
async function withAll([first, ...others]: LoadedSide[], run: () => Promise<void>): Promise<void> {
  if (!first) return await run()
  await withCopy(first.folder, folder =>
    withService(first.side, { folder, isCounted: false }, () => withAll(others, run)),
  )
}

function medians(rounds: Figures[]): Figures {
  const keys = Object.keys(rounds[0] ?? {})
  return Object.fromEntries(keys.map(key => [key, median(rounds.map(figures => figures[key] ?? Number.NaN))]))
}
