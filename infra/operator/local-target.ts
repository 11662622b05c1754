// A local state as a target: through its running service, or through emulators that the command starts.
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import * as z from 'zod/mini'
import { clientSettings } from '../local/account.ts'
import { buildAssembly } from '../local/build.ts'
import { startEmulators } from '../local/emulators.ts'
import { openSecrets } from '../local/secrets.ts'
import { isStateFolder, openState, type State, StateInUseError } from '../local/state.ts'
import { loadTemplate, resolver } from '../local/template/template.ts'
import { createResources, outputsOf } from '../local/template/values.ts'
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

export async function openStateTarget(stateFolder: string, log: (line: string) => void): Promise<Target> {
  if (!(await isStateFolder(stateFolder))) {
    throw new OperatorError(
      `There is no service state in ${resolve(stateFolder)}. Name your folder with --state DIR, or start a service there: npm start -- --state ${stateFolder}`,
    )
  }
  const state = await openState(stateFolder).catch(error => {
    if (error instanceof StateInUseError) return undefined
    throw error
  })
  return state ? await openIdle(state, log) : await openRunning(stateFolder)
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

async function openIdle(state: State, log: (line: string) => void): Promise<Target> {
  await using started = new AsyncDisposableStack()
  started.defer(() => state.release())
  const template = loadTemplate(await buildAssembly({ log, state: state.folder }))
  const emulators = await startEmulators(state)
  started.defer(() => emulators.stop())
  await state.recordDatabase(emulators.dynamodb.pid)
  const secrets = await openSecrets(state.secretsFile, template.resourcesOf('AWS::SecretsManager::Secret'))
  emulators.secretsManager.open(secrets)
  const values = await createResources(template, emulators, secrets, {})
  const ownUrl = await lastUrl(state)
  const resources = started.move()
  return targetOf({
    ...localClients({ dynamodb: emulators.dynamodb.endpoint, sqs: emulators.sqs.endpoint }),
    outputs: outputsOf(template, resolver(template, values)),
    openSecrets: async () => clientSettings(emulators.secretsManager.endpoint),
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
