// Sweeps until the outbox is empty, in a process that `outbox.ts` throttles to a Lambda's share of a CPU.
import { subscribe } from 'node:diagnostics_channel'
import { handler } from '../../functions/sweep.ts'
import { listRows } from '../../shared/events/left-rows.ts'
import { runtime } from '../../shared/runtime/runtime.ts'

const { table } = runtime()
let calls = 0
subscribe('http.client.request.start', () => calls++)

const runs: number[] = []
const before = process.cpuUsage()
do {
  const startedMs = performance.now()
  await handler()
  runs.push(performance.now() - startedMs)
} while ((await listRows(table)).length > 0)
const { user, system } = process.cpuUsage(before)
process.stdout.write(JSON.stringify({ runs, cpuMs: (user + system) / 1000, calls }), () => process.exit())
