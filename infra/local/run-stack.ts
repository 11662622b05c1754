// Runs the synthesized template on this machine. Each part reads its own resources from the template.
import { setTimeout as sleep } from 'node:timers/promises'
import { openAccess } from './access/access.ts'
import { LAMBDA_QUOTA } from './account.ts'
import { startApi } from './api.ts'
import { startBackground } from './background.ts'
import { startEmulators } from './emulators.ts'
import type { Crash } from './faults/call.ts'
import { interceptCalls } from './faults/emulators.ts'
import { readHosts } from './gateway/hosts.ts'
import type { LocalService, RunStackOptions } from './local-service.ts'
import { openNotices } from './mail/notices.ts'
import { openMetrics } from './metrics/metrics.ts'
import { openQueueMetrics } from './metrics/queues.ts'
import { openRecorder } from './metrics/recorder.ts'
import type { RunContext } from './run-context.ts'
import { openSecrets } from './secrets.ts'
import { findId } from './template/logical-ids.ts'
import { checkParameters } from './template/parameters.ts'
import { loadTemplate, resolver } from './template/template.ts'
import { createResources, outputsOf, tablesOf } from './template/values.ts'

export type { LocalService, RunStackOptions } from './local-service.ts'

/** How long running work may take to finish on stop, if its data outlives the service. */
const GRACE_MS = 3000

/** Resolves when the service answers. If a part fails to start, the parts before it are stopped. */
export async function runStack(options: RunStackOptions): Promise<LocalService> {
  const { state, port = 0, parameters = {}, clock = true, interceptors = [], log = () => {} } = options
  const { mostThreads, keptWorkers, allowLoopbackWebhooks = false, metricsClock = Date.now } = options
  const { lambdaQuota = () => LAMBDA_QUOTA, mailFaultOf = () => undefined } = options
  await using started = new AsyncDisposableStack()
  if (state) started.defer(() => state.release())
  const template = loadTemplate(options.assembly)
  const running = await startEmulators(state, log)
  started.defer(() => running.stop())
  let crash: Crash = () => {}
  const recorder = openRecorder(metricsClock, lambdaQuota)
  Object.assign(running.ses, { onSent: recorder.mail, faultOf: mailFaultOf })
  const observed = interceptors.length > 0 ? [recorder.calls, ...interceptors] : []
  const emulators = await interceptCalls(running, observed, session => crash(session))
  if (emulators !== running) started.defer(() => emulators.stop())
  await state?.recordDatabase(emulators.dynamodb.pid)

  const secrets = await openSecrets(state?.secretsFile, template.resourcesOf('AWS::SecretsManager::Secret'))
  emulators.secretsManager.open(secrets)
  checkParameters(template, parameters)
  const values = await createResources(template, emulators, secrets, parameters)
  const access = openAccess(template, values, emulators)
  const resolve = resolver(template, values)
  const notices = openNotices(template, resolve, running.sqs)
  started.defer(() => notices.stop())
  emulators.ses.publishTo(notices.publish)
  const hosts = readHosts(options.hosts ?? [])
  const idsOf = (type: string) => template.resourcesOf(type).map(({ id }) => id)
  const refOf = (id = '') => values.refs.get(id) ?? { ref: '', attributes: {} }
  const queue = (name: string) => refOf(findId(idsOf('AWS::SQS::Queue'), name))
  const queueName = (name: string) => queue(name).attributes.QueueName ?? ''
  const queueMetrics = openQueueMetrics(emulators.sqs, queueName, metricsClock)
  const metrics = openMetrics(recorder, queueMetrics, metricsClock, lambdaQuota)
  const parts = { template, values, resolve, emulators, access, hosts, recorder, metrics }
  const context: RunContext = { ...parts, mostThreads, keptWorkers, allowLoopbackWebhooks, log }
  const { baseUrl, functions, gateway } = await startApi(context, port)
  crash = functions.crash
  const { pollers, schedules } = startBackground(context, functions, clock)
  started.defer(async () => {
    const quiet = Promise.all([gateway.stop(), schedules.stop(), pollers.stop()])
    await Promise.race([quiet, sleep(state ? GRACE_MS : 0, undefined, { ref: false })])
    await functions.stop()
    await quiet
  })

  const everything = started.move()
  const functionId = (name: string) => findId(idsOf('AWS::Lambda::Function'), name)
  return {
    baseUrl,
    dynamodbEndpoint: emulators.dynamodb.endpoint,
    sqsEndpoint: emulators.sqs.endpoint,
    secretsManagerEndpoint: emulators.secretsManager.endpoint,
    mails: emulators.ses.mails,
    access,
    metrics,
    tableName: refOf(tablesOf(template)[0]?.id).ref,
    outputs: outputsOf(template, resolve),
    secrets,
    queueUrl: name => queue(name).ref,
    queueDepth: name => emulators.sqs.depth(queueName(name)),
    invoke: (name, event) => functions.invoke(functionId(name), event),
    runSchedule: name => schedules.runNow(findId(schedules.names, name)),
    databaseFailed: emulators.dynamodb.failed,
    databaseReachableFrom: emulators.dynamodb.reachableFrom,
    stop: () => everything.disposeAsync(),
  }
}
