// Starts the template's functions and the gateway in front of them.
import { REGION } from './account.ts'
import { parseEndpoint } from './door/endpoint.ts'
import { freePort } from './free-port.ts'
import { type Gateway, startGateway } from './gateway/gateway.ts'
import { createFunctions, type Functions } from './lambda/functions.ts'
import { levelOf } from './log.ts'
import { METRICS_PATH } from './metrics/metrics.ts'
import { pageAnswer } from './pages/pages.ts'
import type { RunContext } from './run-context.ts'
import { nameOf } from './template/logical-ids.ts'

export type Api = { baseUrl: string; functions: Functions; gateway: Gateway }

const PORT_ATTEMPTS = 5

/** Chooses the port first, because functions get the base URL. @param port 0 for any free port. */
export async function startApi(context: RunContext, port: number): Promise<Api> {
  const { template, values, resolve, hosts, recorder, metrics, log } = context
  const { parameters } = values
  for (let attempt = 1; ; attempt++) {
    const chosen = port || (await freePort())
    const baseUrl = `http://127.0.0.1:${chosen}`
    // `resolve` reads the parameters: the base URL is known only now, with the port.
    values.parameters = { SiteUrl: baseUrl, ...parameters }
    const functions = startFunctions(context)
    const { invoke } = functions
    try {
      const gateway = await startGateway({
        template,
        resolve,
        invoke,
        port: chosen,
        hosts,
        page: async path => (path === METRICS_PATH ? metrics.answer() : pageAnswer(path)),
        onAnswer: recorder.request,
        log,
      })
      return { baseUrl, functions, gateway }
    } catch (error) {
      await functions.stop()
      // Another process can take a free port before the gateway listens on it.
      if (port !== 0 || attempt === PORT_ATTEMPTS) throw error
    }
  }
}

function startFunctions(context: RunContext): Functions {
  const { template, resolve, emulators, access, mostThreads, keptWorkers } = context
  const { allowLoopbackWebhooks, recorder, log } = context
  const functions = createFunctions({
    resources: template.resourcesOf('AWS::Lambda::Function'),
    resolve,
    assetFolder: template.assetFolder,
    environment: {
      AWS_REGION: REGION,
      AWS_DEFAULT_REGION: REGION,
      AWS_ENDPOINT_URL_DYNAMODB: parseEndpoint(emulators.dynamodb.endpoint).url,
      AWS_ENDPOINT_URL_SQS: parseEndpoint(emulators.sqs.endpoint).url,
      AWS_ENDPOINT_URL_SESV2: parseEndpoint(emulators.ses.endpoint).url,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: parseEndpoint(emulators.secretsManager.endpoint).url,
      AWS_SESSION_TOKEN: parseEndpoint(emulators.sqs.endpoint).key,
      ALLOW_LOOPBACK_WEBHOOKS: String(allowLoopbackWebhooks),
      REFUSE_UNDECLARED_EVENTS: 'true',
    },
    log: (functionId, line) => {
      const text = recorder.line(line)
      if (text !== undefined) log(`${nameOf(functionId)}: ${text}`, levelOf(line))
    },
    access,
    ...(mostThreads && { mostThreads }),
    ...(keptWorkers && { keptWorkers }),
  })
  return {
    ...functions,
    invoke: (functionId, event) =>
      recorder.run(nameOf(functionId), () => functions.invoke(functionId, event)),
  }
}
