// Builds a site, edits a post and builds again, and once more after a hook; compares pages and requests with
// what is promised.
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { hookAfter } from './hook.ts'
import { faultsOfSite } from './pages.ts'
import { FOLDER, type Variables } from './run-package.ts'
import type { SiteBuilder } from './sites.ts'
import type { RecordedRequest, Stage } from './stage.ts'

/** A build after one edit sends no more. */
const MOST_REQUESTS = 3
/** The edits of a burst. */
const EDITS = 3
const SHOWN = 10

function refused(requests: RecordedRequest[]): string[] {
  return requests
    .filter(({ status }) => status >= 400)
    .map(({ line, status }) => `${line} answered ${status}`)
}

/** Returns what is wrong. */
export async function buildTwice(builder: SiteBuilder, stage: Stage): Promise<string[]> {
  const cwd = join(FOLDER, builder.folder)
  for (const left of builder.leaves) await rm(join(cwd, left), { recursive: true, force: true })
  const variables: Variables = {
    API: stage.recorder.url,
    ...(builder.needsToken && { TOKEN: stage.service.token(builder.name, ['builds:read']) }),
  }
  const build = async (more: Variables = {}) => {
    stage.recorder.take()
    await builder.build(cwd, { ...variables, ...more })
    const requests = stage.recorder.take()
    const faults = [...refused(requests), ...(await faultsOfSite(cwd, stage.posts.values(), builder.fileOf))]
    return { faults: faults.slice(0, SHOWN), count: requests.length, lines: requests.map(({ line }) => line) }
  }
  const first = await build()
  console.log(`${builder.name}: ${stage.posts.size} posts with ${first.count} requests`)
  if (!builder.keepsCopy) return first.faults
  await stage.edit()
  const second = await build()
  console.log(`${builder.name}: after one edit, ${second.count} requests`)
  const tooMany = second.count > MOST_REQUESTS ? [`more than ${MOST_REQUESTS} requests after one edit`] : []
  const { cursor, hooks } = await hookAfter(EDITS, stage)
  const third = await build({ CURSOR: cursor })
  console.log(`${builder.name}: after ${EDITS} edits, ${hooks} hook and ${third.lines.join(', ')}`)
  const isOne = hooks === 1 && third.count === 1 && third.lines[0]?.includes(encodeURIComponent(cursor))
  const hooked = isOne
    ? []
    : [`${EDITS} edits did not lead to one hook and one call of /changes with its cursor`]
  const served = (await builder.whenServed?.(stage)) ?? []
  return [...first.faults, ...second.faults, ...tooMany, ...third.faults, ...hooked, ...served]
}
