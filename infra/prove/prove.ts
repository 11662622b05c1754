// The entry point of `npm run prove -- STAGE`.
import { OperatorError, UsageError } from '../operator/operator-error.ts'
import { readArguments, USAGE } from './arguments.ts'
import { CHECKS } from './checks.ts'
import { openStage } from './open-stage.ts'
import { prove } from './report.ts'

async function main(): Promise<number> {
  const given = readArguments(process.argv.slice(2))
  if (given === undefined) {
    console.log(USAGE)
    return 0
  }
  const checks = CHECKS.filter(({ name }) => name.toLowerCase().includes(given.only.toLowerCase()))
  if (checks.length === 0) throw new UsageError(`No check has “${given.only}” in its name.`)
  const stage = await openStage(given)
  console.log(`Checking ${stage.target.label} at ${stage.baseUrl}.`)
  return await prove(checks, stage, console.log)
}

process.exitCode = await main().catch(error => {
  if (!(error instanceof Error)) throw error
  console.error(error instanceof OperatorError ? error.message : `${error.name}: ${error.message}`)
  return error instanceof UsageError ? 2 : 1
})
