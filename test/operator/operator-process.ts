// The command line as a process, with a CloudFormation for it.
import { execFile } from 'node:child_process'
import type { IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { stackNameOf } from '../../infra/names.ts'
import { type Interceptor, startCallProxy } from '../support/faults/call-proxy.ts'
import { openServer } from '../support/server.ts'
import type { World } from '../support/world.ts'

const OPERATOR = fileURLToPath(new URL('../../infra/operator/operator.ts', import.meta.url))

export type ProcessResult = { code: number; wasKilled: boolean; out: string; err: string }

/** Calls the command line in a process of its own, which `signal` kills. */
export function run(
  argv: string[],
  environment: Record<string, string | undefined> = {},
  signal?: AbortSignal,
): Promise<ProcessResult> {
  return new Promise(resolve => {
    const env = { ...process.env, ...environment }
    const options = { env, killSignal: 'SIGKILL' as const, ...(signal && { signal }) }
    execFile(process.execPath, [OPERATOR, ...argv], options, (error, out, err) =>
      resolve({
        code: typeof error?.code === 'number' ? error.code : 0,
        wasKilled: error?.name === 'AbortError',
        out,
        err,
      }),
    )
  })
}

type Answer = { status: number; text: string }

/** Answers each request to AWS by a rule. Returns its address. */
async function startServer(type: string, rule: (request: IncomingMessage, body: string) => Answer) {
  const server = await openServer(async (request, response) => {
    const { status, text } = rule(request, (await request.toArray()).join(''))
    response.writeHead(status, { 'Content-Type': type }).end(text)
  })
  onTestFinished(server.stop)
  return server.url
}

/** A CloudFormation that knows one stack. */
async function startCloudFormation(stackName: string, outputs: Record<string, string>) {
  const members = Object.entries(outputs).map(
    ([name, value]) => `<member><OutputKey>${name}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  )
  const stack = `<member><StackName>${stackName}</StackName><Outputs>${members.join('')}</Outputs></member>`
  return await startServer('text/xml', (_request, body) => {
    const input = new URLSearchParams(body)
    const [name, action] = [input.get('StackName'), input.get('Action')]
    if (name === stackName) {
      const result = `<${action}Result><Stacks>${stack}</Stacks></${action}Result>`
      return { status: 200, text: `<${action}Response>${result}</${action}Response>` }
    }
    const error = `<Code>ValidationError</Code><Message>Stack with id ${name} does not exist</Message>`
    return { status: 400, text: `<ErrorResponse><Error>${error}</Error></ErrorResponse>` }
  })
}

/** The environment in which a stage is the service of a test, through an interceptor of its calls. */
export async function stageOf(
  { endpoints, outputs }: Pick<World, 'endpoints' | 'outputs'>,
  interceptor: Interceptor = (call, next) => next(call),
  stage = 'dev',
): Promise<Record<string, string>> {
  const proxy = await startCallProxy(endpoints.dynamodb, interceptor)
  onTestFinished(() => proxy.stop())
  return {
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: 'us-east-1',
    AWS_ENDPOINT_URL_CLOUDFORMATION: await startCloudFormation(stackNameOf(stage), outputs),
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secretsManager,
    AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
  }
}

/** An SES with one address on its suppression list. `removed` are the addresses that were to be removed. */
export async function startSuppressionList(address: string) {
  const removed: string[] = []
  const endpoint = await startServer('application/json', ({ method, url = '' }) => {
    const email = decodeURIComponent(url.split('/').at(-1) ?? '')
    removed.push(`${method} ${email}`)
    if (email === address) return { status: 200, text: '{}' }
    return { status: 404, text: JSON.stringify({ __type: 'NotFoundException', message: 'Not on the list.' }) }
  })
  return { endpoint, removed }
}
