// A local state as a target: through its running service, or through emulators that the command starts.
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import * as z from 'zod/mini'
import { openSqs } from '../../shared/events/sqs.ts'
import { clientSettings } from '../local/account.ts'
import { startDynamodb } from '../local/dynamodb/database.ts'
import { connectLocally, createLocalTable } from '../local/dynamodb/table.ts'
import { startQueues } from '../local/queues.ts'
import { openSecrets, startSecretsManager } from '../local/secrets.ts'
import { outputsOf } from '../local/service.ts'
import { isStateFolder, openState, type State, StateInUseError } from '../local/state.ts'
import { type Connection, type Target, targetOf } from './target.ts'
import { OperatorError } from './terminal.ts'

const LocalService = z.object({
  endpoints: z.object({ dynamodb: z.string(), sqs: z.string(), secretsManager: z.string() }),
  outputs: z.record(z.string(), z.string()),
})

/** What `more` leaves out is reached as the owner of the emulators. */
export function localTarget(
  { endpoints: { dynamodb, sqs, secretsManager }, outputs }: z.infer<typeof LocalService>,
  more: Pick<Connection, 'ownUrl' | 'label'> & Partial<Connection>,
): Target {
  const connection = {
    dynamodb: new DynamoDBClient(clientSettings(dynamodb)),
    client: connectLocally(dynamodb),
    sqs: openSqs(clientSettings(sqs)),
    close: async () => undefined,
    ...more,
  }
  return targetOf(connection, outputs, clientSettings(secretsManager))
}

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

const RunningService = z.extend(LocalService, { pid: z.int(), baseUrl: z.string() })

async function openRunning(stateFolder: string): Promise<Target> {
  const text = await readFile(join(stateFolder, 'service.json'), 'utf8').catch(() => undefined)
  if (text === undefined) {
    throw new OperatorError(
      'The service of this state is starting, or another command is using it. Try again in a moment.',
    )
  }
  const { pid, baseUrl, ...service } = RunningService.parse(JSON.parse(text))
  const folder = resolve(stateFolder)
  const label = `the running service of ${folder} (process ${pid})`
  return localTarget(service, { ownUrl: baseUrl, label, stateFolder: folder })
}

/** The URL of a service without `--port`, for events that the operator fires while none runs. */
const DEFAULT_URL = 'http://127.0.0.1:3000'

async function openIdle(state: State): Promise<Target> {
  await using started = new AsyncDisposableStack()
  started.defer(() => state.release())
  const database = await startDynamodb(state.databaseFile)
  started.defer(() => database.stop())
  await createLocalTable(database.endpoint)
  const queues = await startQueues(state.queuesFolder)
  started.defer(() => queues.stop())
  const secretsManager = await startSecretsManager(await openSecrets(state.secretsFile))
  started.defer(() => secretsManager.stop())
  const resources = started.move()
  const [dynamodb, sqs] = [database.endpoint, queues.endpoint]
  const endpoints = { dynamodb, sqs, secretsManager: secretsManager.endpoint }
  return localTarget(
    { endpoints, outputs: outputsOf({ sqs }, DEFAULT_URL) },
    {
      ownUrl: DEFAULT_URL,
      label: `${state.folder}, without a running service`,
      stateFolder: state.folder,
      isIdle: true,
      close: () => resources.disposeAsync(),
    },
  )
}
