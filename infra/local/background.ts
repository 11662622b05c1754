// Starts the parts that call functions without a request: the pollers of queues, and schedules.
import type { Functions } from './lambda/functions.ts'
import { mappingsOf } from './queues/event-sources.ts'
import { type Pollers, startPollers } from './queues/pollers.ts'
import type { RunContext } from './run-context.ts'
import { type Schedules, schedulesOf, startSchedules } from './schedules.ts'

/** @param clock false: schedules run only when `runNow` is called. */
export function startBackground(
  { template, resolve, emulators, mostThreads, log }: RunContext,
  { invoke }: Functions,
  clock: boolean,
): { pollers: Pollers; schedules: Schedules } {
  const functionIdOf = (reference: unknown) => {
    const [id] = template.referencesIn(reference, 'AWS::Lambda::Function')
    if (id) return id
    throw new Error(`${JSON.stringify(reference)} is not a function of the template.`)
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
      ...(mostThreads && { mostThreads }),
    }),
    schedules: startSchedules({ schedules, clock, invoke, log }),
  }
}
