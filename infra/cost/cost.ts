// The entry point of `npm run cost`: what a day of the service costs.
import { reportOf, UsageError } from './report.ts'

try {
  process.stdout.write(reportOf(process.argv.slice(2)))
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
