// An hour of failures is sent again with one call for each subscription while the service is killed. Python's
// library of Standard Webhooks verifies all of it as well, where there is a Python.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { replayAcrossKills } from '../process/replays.ts'
import { installPython } from '../world/python.ts'

const EVENTS = Number(process.env.EVENTS ?? 334)
const KILLS = Number(process.env.KILLS ?? 3)

function pathOf(name: string): string {
  return new URL(name, import.meta.url).pathname
}

it(`${EVENTS} failed deliveries to each of three subscriptions are sent again across ${KILLS} kills`, async () => {
  const sent = await replayAcrossKills({ events: EVENTS, kills: KILLS, measures: true })
  const scripts = installPython({
    name: 'The library standardwebhooks',
    folder: 'standardwebhooks',
    requirements: pathOf('requirements.txt'),
  })
  if (scripts === undefined) return
  const input = sent.map(delivery => JSON.stringify(delivery)).join('\n')
  const out = execFileSync(join(scripts, 'python'), [pathOf('verify.py')], { input, encoding: 'utf8' })
  expect(out).toBe(`${sent.length} verified\n`)
})
