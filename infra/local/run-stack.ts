// Hangs the synthesized stack up on this machine: the template is the wiring, each part only takes its share of it.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Access, openAccess } from './access/access.ts'
import { REGION } from './account.ts'
import { parseEndpoint } from './door/endpoint.ts'
import { type Emulators, startEmulators } from './emulators.ts'
import type { Crash } from './faults/call.ts'
import { interceptCalls } from './faults/emulators.ts'
import { freePort } from './free-port.ts'
import { type Gateway, startGateway } from './gateway/gateway.ts'
import { type Hosts, readHosts } from './gateway/hosts.ts'
import { createFunctions, type Functions } from './lambda/functions.ts'
import type { LocalService, RunStackOptions } from './local-service.ts'
import { type Log, levelOf } from './log.ts'
import { pageAnswer } from './pages/pages.ts'
import { mappingsOf } from './queues/event-sources.ts'
import { startPollers } from './queues/pollers.ts'
import { schedulesOf, startSchedules } from './schedules.ts'
import { openSecrets } from './secrets.ts'
import { findId, nameOf } from './template/logical-ids.ts'
import { checkParameters } from './template/parameters.ts'
import type { Resolve } from './template/resolver.ts'
import { loadTemplate, type ResolverValues, resolver, type Template } from './template/template.ts'
import { createResources, outputsOf, tablesOf } from './template/values.ts'

export type { LocalService, RunStackOptions } from './local-service.ts'

/** How long work under way may take to end by itself where its data outlives the service. */
const GRACE_MS = 3000
const PORT_ATTEMPTS = 5

type Wiring = {
  mostWorkers: number | undefined
  allowLoopbackWebhooks: boolean
  template: Template
  values: ResolverValues
  resolve: Resolve
  emulators: Emulators
  access: Access
  hosts: Hosts
  log: Log
}

/** Settles when the service answers. When a part fails, what was started before it is stopped again. */
export async function runStack(options: RunStackOptions): Promise<LocalService> {
  const {
    state,
    port = 0,
    parameters = {},
    clock = true,
    mostWorkers,
    interceptors = [],
    log = () => {},
  } = options
  const { allowLoopbackWebhooks = false } = options
  await using started = new AsyncDisposableStack()
  if (state) started.defer(() => state.release())
  const template = loadTemplate(options.assembly)
  const running = await startEmulators(state, log)
  started.defer(() => running.stop())
  let crash: Crash = () => {}
  const emulators = await interceptCalls(running, interceptors, session => crash(session))
  if (emulators !== running) started.defer(() => emulators.stop())
  await state?.recordDatabase(emulators.dynamodb.pid)

  const secrets = await openSecrets(state?.secretsFile, template.resourcesOf('AWS::SecretsManager::Secret'))
  checkParameters(template, parameters)
  const values = await createResources(template, emulators, secrets, parameters)
  const access = openAccess(template, values, emulators)
  const resolve = resolver(template, values)
  const hosts = readHosts(options.hosts ?? [])
  const parts = { template, values, resolve, emulators, access, hosts }
  const wiring = { ...parts, mostWorkers, allowLoopbackWebhooks, log }
  const { baseUrl, functions, gateway } = await openGateway(wiring, port)
  crash = functions.crash
  const { pollers, schedules } = startBackground(wiring, functions, clock)
  started.defer(async () => {
    const quiet = Promise.all([gateway.stop(), schedules.stop(), pollers.stop()])
    await Promise.race([quiet, sleep(state ? GRACE_MS : 0, undefined, { ref: false })])
    await functions.stop()
    await quiet
  })

  const everything = started.move()
  const idsOf = (type: string) => template.resourcesOf(type).map(({ id }) => id)
  const functionId = (name: string) => findId(idsOf('AWS::Lambda::Function'), name)
  const refOf = (id = '') => values.refs.get(id) ?? { ref: '', attributes: {} }
  const queue = (name: string) => refOf(findId(idsOf('AWS::SQS::Queue'), name))
  return {
    baseUrl,
    dynamodbEndpoint: emulators.dynamodb.endpoint,
    sqsEndpoint: emulators.sqs.endpoint,
    mails: emulators.ses.mails,
    access,
    tableName: refOf(tablesOf(template)[0]?.id).ref,
    outputs: outputsOf(template, resolve),
    secrets,
    queueUrl: name => queue(name).ref,
    queueDepth: name => emulators.sqs.depth(queue(name).attributes.QueueName ?? ''),
    invoke: (name, event) => functions.invoke(functionId(name), event),
    runSchedule: name => schedules.runNow(findId(schedules.names, name)),
    databaseFailed: emulators.dynamodb.failed,
    databaseReachableFrom: emulators.dynamodb.reachableFrom,
    stop: () => everything.disposeAsync(),
  }
}

/** Functions are told the service's own address, so the port is chosen before they exist. */
async function openGateway(
  { template, values, resolve, emulators, access, hosts, mostWorkers, allowLoopbackWebhooks, log }: Wiring,
  port: number,
): Promise<{ baseUrl: string; functions: Functions; gateway: Gateway }> {
  const given = values.parameters
  for (let attempt = 1; ; attempt++) {
    const chosen = port || (await freePort())
    const baseUrl = `http://127.0.0.1:${chosen}`
    values.parameters = { SiteUrl: baseUrl, ...given }
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
        AWS_SESSION_TOKEN: parseEndpoint(emulators.sqs.endpoint).key,
        ALLOW_LOOPBACK_WEBHOOKS: String(allowLoopbackWebhooks),
        REFUSE_UNDECLARED_EVENTS: 'true',
      },
      log: (functionId, line) => log(`${nameOf(functionId)}: ${line}`, levelOf(line)),
      access,
      ...(mostWorkers && { mostWorkers }),
    })
    try {
      const { invoke } = functions
      const gateway = await startGateway({
        template,
        resolve,
        invoke,
        port: chosen,
        hosts,
        page: pageAnswer,
        log,
      })
      return { baseUrl, functions, gateway }
    } catch (error) {
      await functions.stop()
      if (port !== 0 || attempt === PORT_ATTEMPTS) throw error
    }
  }
}

function startBackground(
  { template, resolve, emulators, mostWorkers, log }: Wiring,
  functions: Functions,
  clock: boolean,
) {
  const { invoke } = functions
  const functionIdOf = (reference: unknown) => {
    const [id] = template.referencesIn(reference, 'AWS::Lambda::Function')
    if (id) return id
    throw new Error(`${JSON.stringify(reference)} is no function of the template.`)
  }
  const mappings = mappingsOf({
    resources: template.resourcesOf('AWS::Lambda::EventSourceMapping'),
    resolve,
    functionIdOf,
    queueUrlOf: queueArn => emulators.sqs.queueUrl(queueArn.split(':').at(-1) ?? ''),
  })
  const schedules = schedulesOf({
    resources: ['AWS::Scheduler::Schedule', 'AWS::Events::Rule'].flatMap(template.resourcesOf),
    resolve,
    functionIdOf,
  })
  return {
    pollers: startPollers({
      mappings,
      endpoint: emulators.sqs.endpoint,
      invoke,
      log,
      ...(mostWorkers && { mostWorkers }),
    }),
    schedules: startSchedules({ schedules, clock, invoke, log }),
  }
}
