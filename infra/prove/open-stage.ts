// Opens a deployed stage with the AWS credentials of the shell, and gets a token for it.
import {
  CloudFormationClient,
  DescribeStackResourcesCommand,
  DescribeStacksCommand,
  type StackResource,
} from '@aws-sdk/client-cloudformation'
import * as z from 'zod/mini'
import { BASE_URL_OUTPUT, stackNameOf } from '../names.ts'
import { operate } from '../operator/operate.ts'
import { OperatorError } from '../operator/operator-error.ts'
import { openStageTarget, type Target } from '../operator/target.ts'
import type { ProveArguments } from './arguments.ts'
import { type ProvedStage, stageWith } from './stage.ts'

const IssuedToken = z.object({ id: z.int(), token: z.string() })

/** Throws OperatorError if the stage cannot be reached, or has no such account. */
export async function openStage({ stage, email, url }: ProveArguments): Promise<ProvedStage> {
  const target = await openStageTarget(stage)
  const client = new CloudFormationClient()
  const StackName = stackNameOf(stage)
  const [{ StackResources = [] }, { Stacks }, region, credentials] = await Promise.all([
    client.send(new DescribeStackResourcesCommand({ StackName })),
    client.send(new DescribeStacksCommand({ StackName })),
    client.config.region(),
    client.config.credentials(),
  ])
  const { Outputs = [], Parameters = [] } = Stacks?.[0] ?? {}
  const ownUrl = Outputs.find(({ OutputKey }) => OutputKey === BASE_URL_OUTPUT)?.OutputValue ?? ''
  const facts = {
    stackName: StackName,
    target,
    parameters: Object.fromEntries(
      Parameters.map(({ ParameterKey = '', ParameterValue = '' }) => [ParameterKey, ParameterValue]),
    ),
    ownUrl,
    baseUrl: url ?? ownUrl,
    account: { region, credentials, endpoint: process.env.AWS_ENDPOINT_URL },
    resource: (type: string, idBegins: string) => physicalId(StackResources, type, idBegins),
  }
  const operator = (...words: string[]) => runOperator(target, [...words, '--stage', stage, '--json'])
  const options = ['--email', email, '--abilities', 'admin', '--name', 'prove']
  const { id, token } = IssuedToken.parse(JSON.parse(await operator('token', 'create', ...options)))
  const opened = stageWith(facts, token)
  const revoke = ['token', 'revoke', email, String(id)]
  const what = `the token ${id} of ${email} (npm run operator -- ${revoke.join(' ')} --stage ${stage})`
  opened.later(what, () => operator(...revoke))
  return opened
}

/** What a command prints to stdout. Throws OperatorError with what it prints to stderr. */
async function runOperator(target: Target, words: string[]): Promise<string> {
  const [out, err] = [[] as string[], [] as string[]]
  const code = await operate(words, {
    out: { write: text => out.push(text) },
    err: { write: text => err.push(text) },
    clock: Date.now,
    readStdin: async () => '',
    writeOut: async text => void out.push(text),
    openTarget: async () => target,
  })
  if (code === 0) return out.join('')
  throw new OperatorError(err.at(-1)?.trim() ?? `${words[0]} ended with ${code}.`)
}

function physicalId(resources: StackResource[], type: string, idBegins: string): string {
  const found = resources.find(
    ({ ResourceType, LogicalResourceId = '' }) =>
      ResourceType === type && LogicalResourceId.startsWith(idBegins),
  )
  if (found?.PhysicalResourceId) return found.PhysicalResourceId
  throw new OperatorError(`The stack has no ${type} ${idBegins}…: it is older than this command.`)
}
