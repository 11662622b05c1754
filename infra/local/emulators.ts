// Starts the emulators of AWS services: DynamoDB as a child process, SQS in a thread, the others here.
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
import { type SecretsManager, startSecretsManager } from './secrets-manager.ts'

export type Emulators = {
  dynamodb: Dynamodb
  sqs: Sqs
  ses: Ses
  secretsManager: SecretsManager
  stop(): Promise<void>
}

/**
 * Who can connect to the database's own port, which requires no key: only the service, all users of this
 * machine, or also other machines. Undefined for DYNAMODB_ENDPOINT.
 */
export type DatabaseReach = 'service' | 'machine' | 'network' | undefined

export type Dynamodb = {
  /** Contains the key of its door. */
  endpoint: string
  /** Undefined for a database that this process did not start (DYNAMODB_ENDPOINT). */
  pid: number | undefined
  reachableFrom: DatabaseReach
  /** Resolves with the process's last output if it ends without `stop`; otherwise never. */
  failed: Promise<string>
  stop(): Promise<void>
}

const START_TIMEOUT_MS = 90_000
const ATTEMPTS = 5

/** Starts all emulators with one key. If one fails, the others stop. Without `paths` data is in memory. */
export async function startEmulators(
  paths?: { databaseFile: string; queuesFolder: string; mailFolder: string },
  log: Log = () => {},
): Promise<Emulators> {
  const key = newKey()
  const starting = [
    startDynamodb(paths?.databaseFile, key),
    startSqs(paths?.queuesFolder, key),
    startSes({ folder: paths?.mailFolder, key, log }),
    startSecretsManager(key),
  ] as const
  const stopAll = async () => {
    const settled = await Promise.allSettled(starting)
    await Promise.all(
      settled.map(result => (result.status === 'fulfilled' ? result.value.stop() : undefined)),
    )
  }
  try {
    const [dynamodb, sqs, ses, secretsManager] = await Promise.all(starting)
    return { dynamodb, sqs, ses, secretsManager, stop: stopAll }
  } catch (error) {
    await stopAll()
    throw error
  }
}

/** Without `databaseFile` data is in memory. Throws if this machine has no DynamoDB emulator that starts. */
export async function startDynamodb(databaseFile?: string, key: string = newKey()): Promise<Dynamodb> {
  const endpoint = process.env.DYNAMODB_ENDPOINT
  if (endpoint) return await useRunning(endpoint, key)

  const emulator = findDynamodb()
  const folder = databaseFile && emulator.folderFor(databaseFile)
  if (folder) await mkdir(folder, { recursive: true })
  for (let attempt = 1; ; attempt++) {
    const { prefix, host, isPrivate } = await findNetwork()
    const port = await freePort()
    const command = [emulator.command, ...emulator.args(port, databaseFile, host)]
    const started = await startSupervised(command, prefix, { key, host, port })
    if (await waitUntilReady(emulator, started)) {
      const outside = emulator.listensEverywhere ? 'network' : 'machine'
      return running(started, isPrivate ? 'service' : outside)
    }

    // Another process may have taken the free port in the meantime.
    const lastOutput = await started.ended
    if (attempt === ATTEMPTS) throw new Error(`${emulator.name} does not start: ${lastOutput}`)
  }
}

async function useRunning(endpoint: string, key: string): Promise<Dynamodb> {
  if (!URL.canParse(endpoint)) {
    throw new Error(`DYNAMODB_ENDPOINT takes an address like http://127.0.0.1:8000, not ${endpoint}.`)
  }
  const address = parseEndpoint(endpoint)
  await fetch(address.url, { headers: { 'X-Amz-Security-Token': address.key } }).catch(() => {
    throw new Error(`Nothing answers at ${endpoint}. Start a DynamoDB there, or unset DYNAMODB_ENDPOINT.`)
  })
  return {
    endpoint: withKey(endpoint, key),
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
      started.ended.then(lastOutput => {
        if (!stopping) resolve(lastOutput)
      })
    }),
    async stop() {
      stopping = true
      await started.stop()
    },
  }
}

/** True when the database answers, false if its process ended before. */
async function waitUntilReady(emulator: DynamodbCommand, started: SupervisedProcess): Promise<boolean> {
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
      throw new Error(`${emulator.name} did not answer within ${START_TIMEOUT_MS / 1000} s.`)
    }
    await sleep(2)
  }
  return false
}
