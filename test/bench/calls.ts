// Measures the CPU time of one call of the table or a queue: of the SDK alone, and of the service's client.
// Run: npm run bench:calls -- [rounds] [--dry]
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { clientSettings } from '../../infra/local/account.ts'
import { openSqs } from '../../shared/events/sqs.ts'
import { BOUNDS, connect } from '../../shared/table/connect.ts'
import { startTable } from '../world/table.ts'
import { answersOf, entries, posts, tableCalls } from './measured-calls.ts'
import { BENCH_README, conditions, writeInto } from './report.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { dry: { type: 'boolean', default: false } },
})
const rounds = options.dry ? 1 : Number(positionals[0] ?? 15)
const callsInRound = options.dry ? 3 : 200
const warmUps = options.dry ? 2 : 1_000

/** Median milliseconds of CPU time of a call. Both sides in turns, so that other work affects them alike. */
async function measure(bySdk: () => Promise<unknown>, direct: () => Promise<unknown>) {
  const sides = [bySdk, direct]
  for (const call of sides) for (let n = 0; n < warmUps; n++) await call()
  const took: number[][] = sides.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [side, call] of sides.entries()) {
      const before = process.cpuUsage()
      for (let n = 0; n < callsInRound; n++) await call()
      const { user, system } = process.cpuUsage(before)
      took[side]?.push((user + system) / 1000 / callsInRound)
    }
  }
  const [sdkMs = 0, directMs = 0] = took.map(each => each.toSorted((a, b) => a - b)[each.length >> 1] ?? 0)
  return { sdkMs, directMs }
}

function openSides(settings: DynamoDBClientConfig) {
  const marshallOptions = { removeUndefinedValues: true }
  const client = new DynamoDBClient({ ...settings, maxAttempts: 1, requestHandler: BOUNDS })
  return { stock: DynamoDBDocumentClient.from(client, { marshallOptions }), direct: connect(settings) }
}

const credentials = { accessKeyId: 'AKID', secretAccessKey: 'secret', sessionToken: 'token'.repeat(80) }
const program = fileURLToPath(new URL('recorded-answers.ts', import.meta.url))
const recorded = fork(program, [JSON.stringify(answersOf('table'))])
const [port] = await once(recorded, 'message')
const endpoint = `http://127.0.0.1:${port}`
const settings = { endpoint, region: 'us-east-1', credentials }

const rows: string[] = []
function add(name: string, where: string, { sdkMs, directMs }: { sdkMs: number; directMs: number }) {
  const cells = [name, where, sdkMs.toFixed(2), directMs.toFixed(2), (directMs / sdkMs).toFixed(2)]
  rows.push(`| ${cells.join(' | ')} |`)
  process.stderr.write(`${cells.join(' ')}\n`)
}

const sides = openSides(settings)
for (const [name, call] of Object.entries(tableCalls('table'))) {
  add(
    name,
    'recorded',
    await measure(
      () => call(sides.stock),
      () => call(sides.direct),
    ),
  )
}
const stockQueues = new SQSClient({ ...settings, requestHandler: BOUNDS, useQueueUrlAsEndpoint: false })
const directQueues = openSqs({ AWS_ENDPOINT_URL: endpoint }, { ...settings, requestHandler: BOUNDS })
function sending() {
  return new SendMessageBatchCommand({ QueueUrl: `${endpoint}/0/a-queue`, Entries: entries })
}
add(
  '`SendMessageBatch`, 10 messages',
  'recorded',
  await measure(
    () => stockQueues.send(sending()),
    () => directQueues.send(sending()),
  ),
)
recorded.kill()

const emulated = await startTable()
await emulated.table.putMany(posts)
const onEmulator = openSides(clientSettings(emulated.endpoint))
for (const [name, call] of Object.entries(tableCalls(emulated.tableName))) {
  add(
    name,
    'emulator',
    await measure(
      () => call(onEmulator.stock),
      () => call(onEmulator.direct),
    ),
  )
}
await emulated.stop()

const text = [
  `Medians of ${rounds} rounds of ${callsInRound} calls, in ms of CPU time of the client. ${conditions(new Date())}:`,
  '',
  '| call | answers | the SDK alone | direct | ratio |',
  '|---|---|---|---|---|',
  ...rows,
].join('\n')
console.log(text)
if (!options.dry) await writeInto(BENCH_README, 'calls', text)
process.exit()
