// What runs without a request: workers fed by queues, and workers of the clock.
import { Duration, type Stack } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import { RecursiveLoop } from 'aws-cdk-lib/aws-lambda'
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources'
import { QUEUES } from '../shared/events/message.ts'
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../shared/service/workers.ts'
import { createFunction, type StackContext } from './functions.ts'

export function createQueueWorkers(stack: Stack, context: StackContext, maxConcurrency: number) {
  for (const [name, worker] of Object.entries(QUEUE_WORKERS)) {
    // Work in steps sends itself the next one; Lambda would take that for a mistake and stop it after 16.
    const isInSteps = worker.sends.includes(worker.consumes)
    const recursiveLoop = isInSteps ? RecursiveLoop.ALLOW : RecursiveLoop.TERMINATE
    const queue = context.queues[worker.consumes]
    const handler = createFunction(stack, name, worker, context, { recursiveLoop })
    // A worker may take from its own queue by itself, with the permissions that its event source needs anyway.
    handler.addEnvironment(QUEUES[worker.consumes].urlVariable, queue.queueUrl)
    handler.addEventSource(
      new SqsEventSource(queue, {
        batchSize: worker.batchSize,
        maxConcurrency: Math.min(worker.maxConcurrency, maxConcurrency),
        reportBatchItemFailures: true,
      }),
    )
  }
}

export function createScheduledWorkers(stack: Stack, context: StackContext) {
  for (const [name, worker] of Object.entries(SCHEDULED_WORKERS)) {
    const period = Duration.minutes(worker.everyMinutes)
    // A beat that failed or came late is made up for by the next one, never by a heap of old ones.
    const handler = createFunction(stack, name, worker, context, {
      maxEventAge: period,
      retryAttempts: 0,
    })
    const rule = new Rule(stack, `${name}-clock`, { schedule: Schedule.rate(period) })
    rule.addTarget(new LambdaFunction(handler, { maxEventAge: period, retryAttempts: 0 }))
  }
}
