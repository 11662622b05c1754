// Creates the functions that run without a request: workers of queues, and scheduled workers.
import { Duration, type Stack } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import { RecursiveLoop } from 'aws-cdk-lib/aws-lambda'
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources'
import { QUEUE_WORKERS, SCHEDULED_WORKERS } from '../shared/service/workers.ts'
import { createFunction, type StackContext } from './functions.ts'

export function createQueueWorkers(stack: Stack, context: StackContext, maxConcurrency: number): void {
  for (const [name, worker] of Object.entries(QUEUE_WORKERS)) {
    // A worker may send itself its next step; Lambda would stop it after 16 as an endless loop.
    const isInSteps = worker.sends.includes(worker.consumes)
    const recursiveLoop = isInSteps ? RecursiveLoop.ALLOW : RecursiveLoop.TERMINATE
    const queue = context.queues[worker.consumes]
    const handler = createFunction(stack, name, worker, context, { recursiveLoop })
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
    // A failed or late run is not retried: the next run does its work.
    const handler = createFunction(stack, name, worker, context, {
      maxEventAge: period,
      retryAttempts: 0,
    })
    const rule = new Rule(stack, `${name}-clock`, { schedule: Schedule.rate(period) })
    rule.addTarget(new LambdaFunction(handler, { maxEventAge: period, retryAttempts: 0 }))
  }
}
