// A generated site in a service of its own, loaded once and cached for the next run under `.local/bench`.
import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openLocalTable } from '../../infra/local/dynamodb/local-table.ts'
import { type LocalService, runStack } from '../../infra/local/run-stack.ts'
import { openState, writeJsonAtomically } from '../../infra/local/state.ts'
import type { Interceptor } from '../world/faults/call.ts'
import { until } from '../world/until.ts'
import { loadSite } from './load.ts'
import { openProgress } from './progress.ts'
import type { Site } from './site.ts'

const folder = fileURLToPath(new URL('../../.local/bench', import.meta.url))
/** This file in the state folder says that the whole site is loaded. */
const LOADED = 'loaded.json'
const QUIET_MS = 120_000

type CachedSiteOptions = {
  site: Site
  fingerprint: string
  assembly: string
  log: (line: string) => void
  interceptors?: Interceptor[]
}

/** Throws when another run uses the folder of this site. */
export async function openCachedSite({
  site,
  fingerprint,
  assembly,
  log,
  interceptors = [],
}: CachedSiteOptions): Promise<LocalService> {
  const name = `${site.count}-${site.seed}-`
  const dir = join(folder, `${name}${fingerprint}`)
  const loaded = join(dir, LOADED)
  const isLoaded = existsSync(loaded)
  const state = await openState(dir, { reset: !isLoaded })
  const service = await runStack({
    assembly,
    state,
    parameters: { LimitScale: '1000000' },
    clock: false,
    interceptors,
  })
  if (isLoaded) {
    log(`Using the site of an earlier run: ${dir}`)
  } else {
    await removeOthers(name, dir)
    const startedMs = performance.now()
    await loadSite(openLocalTable(service.dynamodbEndpoint, service.tableName), site, {
      progress: openProgress(log),
    })
    const seconds = Math.round((performance.now() - startedMs) / 1000)
    await writeJsonAtomically(loaded, { seconds })
    log(`Loaded in ${seconds} s and cached in ${dir}`)
  }
  return service
}

/** Deletes cached sites of the same size in another storage format: 100,000 posts take 1.6 GB. */
async function removeOthers(name: string, dir: string): Promise<void> {
  const others = (await readdir(folder)).filter(file => file.startsWith(name) && join(folder, file) !== dir)
  for (const other of others) await rm(join(folder, other), { recursive: true, force: true })
}

/** Waits until the workers have processed the messages of the measured changes. */
export function untilQueuesAreEmpty(service: LocalService): Promise<unknown> {
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
