// A generated site in a service of its own, loaded once and kept for the next run under `.local/bench`.
import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openLocalTable } from '../../infra/local/dynamodb/local-table.ts'
import { type LocalService, runStack } from '../../infra/local/run-stack.ts'
import { openState, writeJsonAtomically } from '../../infra/local/state.ts'
import { until } from '../world/until.ts'
import { loadSite } from './load.ts'
import { openProgress } from './progress.ts'
import type { Site } from './site.ts'

const folder = fileURLToPath(new URL('../../.local/bench', import.meta.url))
/** Stands in the state's folder once all is in. */
const LOADED = 'loaded.json'
const QUIET_MS = 120_000

type Asked = { site: Site; fingerprint: string; assembly: string; log: (line: string) => void }

/** Throws when the folder of this site is in use. */
export async function openKeptSite({ site, fingerprint, assembly, log }: Asked): Promise<LocalService> {
  const name = `${site.count}-${site.seed}-`
  const dir = join(folder, `${name}${fingerprint}`)
  const loaded = join(dir, LOADED)
  const isLoaded = existsSync(loaded)
  const state = await openState(dir, { reset: !isLoaded })
  const service = await runStack({ assembly, state, parameters: { LimitScale: '1000000' }, clock: false })
  if (isLoaded) {
    log(`Kept from an earlier run: ${dir}`)
  } else {
    await removeOthers(name, dir)
    const startedMs = performance.now()
    await loadSite(openLocalTable(service.dynamodbEndpoint, service.tableName), site, {
      progress: openProgress(log),
    })
    const seconds = Math.round((performance.now() - startedMs) / 1000)
    await writeJsonAtomically(loaded, { seconds })
    log(`Loaded in ${seconds} s, and kept for the next run in ${dir}`)
  }
  return service
}

/** Sites of this size that were kept in another way: each of 100,000 posts has 1.6 GB. */
async function removeOthers(name: string, dir: string): Promise<void> {
  const others = (await readdir(folder)).filter(each => each.startsWith(name) && join(folder, each) !== dir)
  for (const other of others) await rm(join(folder, other), { recursive: true, force: true })
}

/** When the workers have done all that the measured changes gave them to do. */
export function untilQuiet(service: LocalService): Promise<unknown> {
  return until(
    'the queues to be empty',
    () =>
      ['EventsQueue', 'DeliveriesQueue', 'TidyQueue', 'IndexQueue'].every(name => {
        const { visible, inFlight } = service.queueDepth(name)
        return visible + inFlight === 0
      }),
    QUIET_MS,
  )
}
