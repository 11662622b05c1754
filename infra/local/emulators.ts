// Starts the AWS services that the local run stands on: DynamoDB as a child process, SQS and SES inside this one.
import { mkdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DynamodbCommand, findDynamodb } from './dynamodb/dynamodb-command.ts'
import { type KeptProcess, startKept } from './dynamodb/kept-process.ts'
import { freePort } from './free-port.ts'
import { type Ses, startSes } from './mail/ses.ts'
import { type Sqs, startSqs } from './queues/fauxqs.ts'

export type Emulators = { dynamodb: Dynamodb; sqs: Sqs; ses: Ses; stop(): Promise<void> }

export type Dynamodb = {
  endpoint: string
  /** Undefined for one that was running already (DYNAMODB_ENDPOINT). */
  pid: number | undefined
  /** Settles, with its last words, only when the process ended without being told to. */
  failed: Promise<string>
  stop(): Promise<void>
}

const startTimeoutMs = 20_000
const attempts = 5

/** Starts all at once; when one fails, the others are stopped again. Without places, data is kept in memory. */
export async function startEmulators(
  places?: { databaseFile: string; queuesFolder: string; mailFolder: string },
  log: (line: string) => void = () => {},
): Promise<Emulators> {
  const starting = [
    startDynamodb(places?.databaseFile),
    startSqs(places?.queuesFolder),
    startSes({ folder: places?.mailFolder, log }),
  ] as const
  const stopAll = async () => {
    const settled = await Promise.allSettled(starting)
    await Promise.all(settled.map(each => (each.status === 'fulfilled' ? each.value.stop() : undefined)))
  }
  try {
    const [dynamodb, sqs, ses] = await Promise.all(starting)
    return { dynamodb, sqs, ses, stop: stopAll }
  } catch (error) {
    await stopAll()
    throw error
  }
}

/** `databaseFile` undefined: kept in memory. Throws when this machine has no DynamoDB to offer, or none that starts. */
export async function startDynamodb(databaseFile?: string): Promise<Dynamodb> {
  const given = process.env.DYNAMODB_ENDPOINT
  if (given) return { endpoint: given, pid: undefined, failed: new Promise(() => {}), stop: async () => {} }

  const found = findDynamodb()
  const folder = databaseFile && found.folderFor(databaseFile)
  if (folder) await mkdir(folder, { recursive: true })
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    const started = await startKept(found.command, found.args(port, databaseFile))
    const endpoint = `http://127.0.0.1:${port}`
    if (await answers(endpoint, found, started)) return running(endpoint, started)

    // Between finding the free port and taking it, another process may have been faster.
    const words = await started.ended
    if (attempt === attempts) throw new Error(`${found.name} does not start: ${words}`)
  }
}

function running(endpoint: string, started: KeptProcess): Dynamodb {
  let stopping = false
  return {
    endpoint,
    pid: started.pid,
    failed: new Promise(resolve => {
      started.ended.then(words => {
        if (!stopping) resolve(words)
      })
    }),
    async stop() {
      stopping = true
      await started.stop()
    },
  }
}

/** True when it is up; false when it gave up by itself. */
async function answers(endpoint: string, found: DynamodbCommand, started: KeptProcess): Promise<boolean> {
  const deadline = performance.now() + startTimeoutMs
  while (!started.hasEnded()) {
    const status = await fetch(endpoint).then(
      response => response.status,
      () => undefined,
    )
    if (status !== undefined) return !started.hasEnded()
    if (performance.now() > deadline) {
      await started.stop()
      throw new Error(`${found.name} did not answer within ${startTimeoutMs / 1000} s.`)
    }
    await sleep(2)
  }
  return false
}
