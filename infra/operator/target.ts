// Which table the operator works on: a running service's, a state's that nobody runs, or a deployed stage's.

import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { z } from 'zod'
import { openTable, type Table } from '../../shared/table/client.ts'
import { buildAssembly } from '../local/build.ts'
import { openLocalTable } from '../local/dynamodb/local-table.ts'
import { startEmulators } from '../local/emulators.ts'
import { openSecrets } from '../local/secrets.ts'
import { openState, type State, StateInUseError } from '../local/state.ts'
import { loadTemplate } from '../local/template/template.ts'
import { createResources, tablesOf } from '../local/template/values.ts'
import { stackNameOf, TABLE_OUTPUT } from '../names.ts'

export type Target = { table: Table; says: string; close: () => Promise<void> }

const RunningService = z.object({ pid: z.int(), dynamodbEndpoint: z.string(), tableName: z.string() })

/** The local state's table, through the service that runs on it or by itself. */
export const openStateTarget = async (stateFolder: string, log: (line: string) => void): Promise<Target> => {
  const state = await openState(stateFolder).catch(error => {
    if (error instanceof StateInUseError) return undefined
    throw error
  })
  return state ? await openIdleState(state, log) : await openRunning(stateFolder)
}

const openRunning = async (stateFolder: string): Promise<Target> => {
  const text = await readFile(join(stateFolder, 'service.json'), 'utf8').catch(() => undefined)
  if (text === undefined)
    throw new Error('The service on this state is just starting: try again in a moment.')
  const { pid, dynamodbEndpoint, tableName } = RunningService.parse(JSON.parse(text))
  return {
    table: openLocalTable(dynamodbEndpoint, tableName),
    says: `the service that runs on ${resolve(stateFolder)} (process ${pid})`,
    close: async () => undefined,
  }
}

const openIdleState = async (state: State, log: (line: string) => void): Promise<Target> => {
  await using started = new AsyncDisposableStack()
  started.defer(() => state.release())
  const template = loadTemplate(await buildAssembly({ log }))
  const emulators = await startEmulators(state)
  started.defer(() => emulators.stop())
  await state.noteDatabase(emulators.dynamodb.pid)
  const secrets = await openSecrets(state.secretsFile, template.resourcesOf('AWS::SecretsManager::Secret'))
  const { refs } = await createResources(template, emulators, secrets, {})
  const tableName = refs.get(tablesOf(template)[0]?.id ?? '')?.ref ?? ''
  const everything = started.move()
  return {
    table: openLocalTable(emulators.dynamodb.endpoint, tableName),
    says: `${state.folder}, on which no service runs`,
    close: () => everything.disposeAsync(),
  }
}

/** A deployed table, found by its stack's output with the credentials of this shell. */
export const openStageTarget = async (stage: string): Promise<Target> => {
  const StackName = stackNameOf(stage)
  const { Stacks } = await new CloudFormationClient().send(new DescribeStacksCommand({ StackName }))
  const outputs = Stacks?.[0]?.Outputs ?? []
  const tableName = outputs.find(({ OutputKey }) => OutputKey === TABLE_OUTPUT)?.OutputValue
  if (!tableName) throw new Error(`The stack ${StackName} has no output ${TABLE_OUTPUT}: deploy it again.`)
  return {
    table: openTable(
      DynamoDBDocumentClient.from(new DynamoDBClient(), { marshallOptions: { removeUndefinedValues: true } }),
      tableName,
    ),
    says: `stage ${stage} (table ${tableName})`,
    close: async () => undefined,
  }
}
