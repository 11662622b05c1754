// The entry point of `npm run prove -- STAGE`.
import { OperatorError, UsageError } from '../operator/operator-error.ts'
import { readArguments, USAGE } from './arguments.ts'
import { CHECKS } from './checks.ts'
import { openInterruption } from './interruption.ts'
import { openStage } from './open-stage.ts'
import { INTERRUPTED, prove } from './report.ts'
import type { ProvedStage } from './stage.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

async function main(): Promise<number> {
  const given = readArguments(process.argv.slice(2))
  if (given === undefined) {
    console.log(USAGE)
    return 0
  }
  const checks = CHECKS.filter(({ name }) => name.toLowerCase().includes(given.only.toLowerCase()))
  if (checks.length === 0) throw new UsageError(`No check has “${given.only}” in its name.`)
  let stage: ProvedStage | undefined
  const { isRequested, request } = openInterruption({
    clock: Date.now,
    onFirst: () =>
      console.error('Interrupted. It cleans up after this check; another Ctrl-C ends it at once.'),
    onSecond: () => {
      const left = stage?.left() ?? [`perhaps a token of ${given.email} with the name prove`]
      for (const what of left) console.error(`Not deleted: ${what}.`)
      console.error('What the check that ran has just created may be left as well.')
      process.exit(INTERRUPTED)
    },
  })
  for (const signal of SIGNALS) process.on(signal, request)
  stage = await openStage(given)
  console.log(`Checking ${stage.target.label} at ${stage.baseUrl}.`)
  return await prove(checks, stage, console.log, isRequested)
}

process.exitCode = await main().catch(error => {
  if (!(error instanceof Error)) throw error
  console.error(error instanceof OperatorError ? error.message : `${error.name}: ${error.message}`)
  return error instanceof UsageError ? 2 : 1
})
