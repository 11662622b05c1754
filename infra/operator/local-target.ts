// A local state as a target: through its running service, or through emulators that the command starts.
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import * as z from 'zod/mini'
import { clientSettings } from '../local/account.ts'
import { startDynamodb } from '../local/dynamodb/database.ts'
import { createLocalTable } from '../local/dynamodb/table.ts'
import { startQueues } from '../local/queues.ts'
import { openSecrets, startSecretsManager } from '../local/secrets.ts'
import { outputsOf } from '../local/service.ts'
import { isStateFolder, openState, type State, StateInUseError } from '../local/state.ts'
import { localClients } from './local-clients.ts'
import { OperatorError } from './operator-error.ts'
import { type Target, targetOf } from './target.ts'

const RunningService = z.object({
  pid: z.int(),
  baseUrl: z.string(),
  dynamodbEndpoint: z.string(),
  sqsEndpoint: z.string(),
  secretsManagerEndpoint: z.string(),
  outputs: z.record(z.string(), z.string()),
})

const LastService = z.pick(RunningService, { baseUrl: true })

/** The address of a service without `--port`. */
const DEFAULT_URL = 'http://127.0.0.1:3000'

export async function openStateTarget(stateFolder: string): Promise<Target> {
  if (!isStateFolder(stateFolder)) {
    throw new OperatorError(
      `There is no service state in ${resolve(stateFolder)}. Name your folder with --state DIR, or start a service there: npm start -- --state ${stateFolder}`,
    )
  }
  const state = await openState(stateFolder).catch(error => {
    if (error instanceof StateInUseError) return undefined
    throw error
  })
  return state ? await openIdle(state) : await openRunning(stateFolder)
}

async function openRunning(stateFolder: string): Promise<Target> {
  const text = await readFile(join(stateFolder, 'service.json'), 'utf8').catch(() => undefined)
  if (text === undefined) {
    throw new OperatorError(
      'The service of this state is starting, or another command is using it. Try again in a moment.',
    )
  }
  const service = RunningService.parse(JSON.parse(text))
  return targetOf({
    ...localClients({ dynamodb: service.dynamodbEndpoint, sqs: service.sqsEndpoint }),
    outputs: service.outputs,
    openSecrets: async () => clientSettings(service.secretsManagerEndpoint),
    ownUrl: service.baseUrl,
    label: `the running service of ${resolve(stateFolder)} (process ${service.pid})`,
    stateFolder: resolve(stateFolder),
    close: async () => undefined,
  })
}

async function openIdle(state: State): Promise<Target> {
  await using started = new AsyncDisposableStack()
  started.defer(() => state.release())
  const database = await startDynamodb(state.databaseFile)
  started.defer(() => database.stop())
  await state.recordDatabase(database.pid)
  await createLocalTable(database.endpoint)
  const queues = await startQueues(state.queuesFolder)
  started.defer(() => queues.stop())
  const secretsManager = await startSecretsManager(await openSecrets(state.secretsFile))
  started.defer(() => secretsManager.stop())
  const ownUrl = await lastUrl(state)
  const resources = started.move()
  return targetOf({
    ...localClients({ dynamodb: database.endpoint, sqs: queues.endpoint }),
    outputs: outputsOf({ sqs: queues.endpoint }, ownUrl),
    openSecrets: async () => clientSettings(secretsManager.endpoint),
    ownUrl,
    label: `${state.folder}, without a running service`,
    stateFolder: state.folder,
    isIdle: true,
    close: () => resources.disposeAsync(),
  })
}

/** Events that the operator fires contain the address at which the service ran last. */
async function lastUrl({ lastServiceFile }: State): Promise<string> {
  const text = await readFile(lastServiceFile, 'utf8').catch(() => undefined)
  return text === undefined ? DEFAULT_URL : LastService.parse(JSON.parse(text)).baseUrl
}
