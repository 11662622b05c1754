// Another stage in the same account and region.
import { CloudFormationClient, paginateDescribeStacks, type Stack } from '@aws-sdk/client-cloudformation'
import { BASE_URL_OUTPUT, STACK_PREFIX } from '../../names.ts'
import { type Check, cannotBeTold, heldUnless } from '../check.ts'
import { codeOf, send } from '../http.ts'
import type { ProvedStage } from '../stage.ts'

type Outputs = Record<string, string>

export const STAGES_CHECK: Check = {
  name: 'A second stage in the account',
  did: 'Compared the outputs of all stages, and asked the others for their health.',
  expected:
    'Each is deployed and answers, and no two have a table, a queue, a secret or an address in common.',
  run: async stage => {
    const stacks = await listStages()
    const own = outputsOf(stacks.find(({ StackName }) => StackName === stage.stackName))
    const others = stacks.filter(({ StackName }) => StackName !== stage.stackName)
    if (others.length === 0) return cannotBeTold('The account has no other stage in this region.')
    const wrong: string[] = []
    for (const other of others) {
      const outputs = outputsOf(other)
      const shared = Object.keys(outputs).filter(name => own[name] === outputs[name])
      if (shared.length > 0) wrong.push(`${other.StackName} has the same ${shared.join(', ')}.`)
      const health = await send('GET', `${addressOf(stage, outputs)}/api/v1/health`).then(codeOf, String)
      if (health !== '200') wrong.push(`${other.StackName} answers ${health}.`)
    }
    return heldUnless(wrong, others.map(({ StackName }) => StackName).join(', '))
  },
}

/** A stack whose first deployment failed has no outputs, and is no stage. */
async function listStages(): Promise<Stack[]> {
  const stacks: Stack[] = []
  for await (const { Stacks = [] } of paginateDescribeStacks({ client: new CloudFormationClient() }, {})) {
    for (const stack of Stacks) stacks.push(stack)
  }
  return stacks.filter(
    ({ StackName, Outputs = [] }) => StackName?.startsWith(STACK_PREFIX) && Outputs.length > 0,
  )
}

function outputsOf(stack: Stack | undefined): Outputs {
  const outputs = stack?.Outputs ?? []
  return Object.fromEntries(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]))
}

/** Where --url names another address of this stage, that of another one has its id in place of this one's. */
function addressOf({ ownUrl, baseUrl }: ProvedStage, outputs: Outputs): string {
  const otherUrl = outputs[BASE_URL_OUTPUT] ?? ''
  return baseUrl === ownUrl ? otherUrl : baseUrl.replace(apiOf(ownUrl), apiOf(otherUrl))
}

function apiOf(url: string): string {
  return new URL(url).hostname.split('.')[0] ?? ''
}
