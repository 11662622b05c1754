// The entry point of `npm run conformance`.
import { main } from './main.ts'

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  out: line => process.stdout.write(`${line}\n`),
  err: line => process.stderr.write(`${line}\n`),
  onInterrupt: interrupt => {
    process.once('SIGINT', interrupt)
    process.once('SIGTERM', interrupt)
  },
})
