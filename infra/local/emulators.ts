// Starts the AWS services that the local run stands on: DynamoDB as a child process, SQS and SES inside this one.
import { mkdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { newKey, parseEndpoint, withKey } from './door/endpoint.ts'
import { type DynamodbCommand, findDynamodb } from './dynamodb/dynamodb-command.ts'
import { findNetwork } from './dynamodb/network.ts'
import { type SupervisedProcess, startSupervised } from './dynamodb/supervised-process.ts'
import { freePort } from './free-port.ts'
import type { Log } from './log.ts'
import { type Ses, startSes } from './mail/ses.ts'
import { type Sqs, startSqs } from './queues/fauxqs.ts'

export type Emulators = { dynamodb: Dynamodb; sqs: Sqs; ses: Ses; stop(): Promise<void> }

/**
 * Who can reach the port of the database itself, behind its door: the service alone, every user of this machine, or
 * other machines, too. Undefined for one that was running already.
 */
export type DatabaseReach = 'service' | 'machine' | 'network' | undefined

export type Dynamodb = {
  /** With the key to its door. */
  endpoint: string
  /** Undefined for one that was running already (DYNAMODB_ENDPOINT). */
  pid: number | undefined
  reachableFrom: DatabaseReach
  /** Settles, with its last words, only when the process ended without being told to. */
  failed: Promise<string>
  stop(): Promise<void>
}

const START_TIMEOUT_MS = 20_000
const ATTEMPTS = 5

/**
 * Starts all at once, with one key to all their doors; when one fails, the others are stopped again. Without places,
 * data is kept in memory.
 */
export async function startEmulators(
  places?: { databaseFile: string; queuesFolder: string; mailFolder: string },
  log: Log = () => {},
): Promise<Emulators> {
  const key = newKey()
  const starting = [
    startDynamodb(places?.databaseFile, key),
    startSqs(places?.queuesFolder, key),
    startSes({ folder: places?.mailFolder, key, log }),
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
export async function startDynamodb(databaseFile?: string, key: string = newKey()): Promise<Dynamodb> {
  const given = process.env.DYNAMODB_ENDPOINT
  if (given) return await useRunning(given, key)

  const found = findDynamodb()
  const folder = databaseFile && found.folderFor(databaseFile)
  if (folder) await mkdir(folder, { recursive: true })
  for (let attempt = 1; ; attempt++) {
    const { prefix, host, isPrivate } = await findNetwork()
    const port = await freePort()
    const command = [found.command, ...found.args(port, databaseFile, host)]
    const started = await startSupervised(command, prefix, { key, host, port })
    if (await waitUntilReady(found, started)) {
      const outside = found.listensEverywhere ? 'network' : 'machine'
      return running(started, isPrivate ? 'service' : outside)
    }

    // Between finding the free port and taking it, another process may have been faster.
    const words = await started.ended
    if (attempt === ATTEMPTS) throw new Error(`${found.name} does not start: ${words}`)
  }
}

async function useRunning(given: string, key: string): Promise<Dynamodb> {
  if (!URL.canParse(given)) {
    throw new Error(`DYNAMODB_ENDPOINT takes an address like http://127.0.0.1:8000, not ${given}.`)
  }
  const place = parseEndpoint(given)
  await fetch(place.url, { headers: { 'X-Amz-Security-Token': place.key } }).catch(() => {
    throw new Error(`Nothing answers at ${given}. Start a DynamoDB there, or unset DYNAMODB_ENDPOINT.`)
  })
  return {
    endpoint: withKey(given, key),
    pid: undefined,
    reachableFrom: undefined,
    failed: new Promise(() => {}),
    stop: async () => {},
  }
}

function running(started: SupervisedProcess, reachableFrom: DatabaseReach): Dynamodb {
  let stopping = false
  return {
    endpoint: started.endpoint,
    pid: started.pid,
    reachableFrom,
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
async function waitUntilReady(found: DynamodbCommand, started: SupervisedProcess): Promise<boolean> {
  const { url, key } = parseEndpoint(started.endpoint)
  const headers = { 'X-Amz-Security-Token': key }
  const deadline = performance.now() + START_TIMEOUT_MS
  while (!started.hasEnded()) {
    const status = await fetch(url, { headers }).then(
      response => response.status,
      () => undefined,
    )
    if (status !== undefined) return !started.hasEnded()
    if (performance.now() > deadline) {
      await started.stop()
      throw new Error(`${found.name} did not answer within ${START_TIMEOUT_MS / 1000} s.`)
    }
    await sleep(2)
  }
  return false
}
