import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TABLE_OUTPUT } from '../../infra/names.ts'
import { diagnose } from '../../infra/operator/doctor/doctor.ts'
import { localClients } from '../../infra/operator/local-clients.ts'
import { targetOf } from '../../infra/operator/target.ts'
import { startDynamodb } from '../../infra/local/dynamodb/database.ts'
import { openTableAt } from '../world/table.ts'
import { LOADED_AT, loadSite } from './load.ts'
import { openSite } from './site.ts'

const count = Number(process.argv[2])
const db = await (startDynamodb as any)(process.argv[3] === 'folder' ? join(await mkdtemp(join(tmpdir(), 'doc-')), 'db') : undefined)
const endpoint = db.endpoint ?? db
const world = await (openTableAt as any)(endpoint)
let t = performance.now()
await loadSite(world.table, openSite({ count, seed: 1 }))
console.log('loaded', Math.round(performance.now() - t), 'ms')
const target = targetOf({
  ...localClients({ dynamodb: endpoint, sqs: endpoint }),
  outputs: { [TABLE_OUTPUT]: world.tableName },
  ownUrl: 'https://site.example', label: 'x',
  openSecrets: () => Promise.reject(new Error('No secret is needed.')),
  close: async () => undefined,
} as any)
globalThis.gc?.()
const rss0 = process.memoryUsage().rss
let peak = 0
const timer = setInterval(() => { peak = Math.max(peak, process.memoryUsage().heapUsed) }, 50)
for (let n = 0; n < 2; n++) {
  t = performance.now()
  const cpu = process.cpuUsage()
  const { problems, records, items } = await diagnose({ target, nowMs: LOADED_AT * 1000, nowSeconds: LOADED_AT, progress: { show: () => undefined, clear: () => undefined }, readStdin: async () => '', writeOut: async () => undefined } as any, false)
  const used = process.cpuUsage(cpu)
  console.log('doctor', Math.round(performance.now() - t), 'ms, cpu', Math.round((used.user + used.system) / 1000), JSON.stringify(problems.slice(0,3)), problems.length, records, items, 'heap peak MB', Math.round(peak / 1e6), 'rss', Math.round(process.memoryUsage().rss / 1e6), 'was', Math.round(rss0 / 1e6))
}
clearInterval(timer)
process.exit(0)
