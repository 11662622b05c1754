// A thread that runs the function of admins, many requests at a time.
import { parentPort } from 'node:worker_threads'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { handler } from '../../functions/admin.ts'
import { lambdaContext } from '../support/proxy-event.ts'

export type EditRequest = { n: number; event: APIGatewayProxyEvent }
export type Answer = { n: number; statusCode: number; body: string }

parentPort?.on('message', async ({ n, event }: EditRequest) => {
  const { statusCode, body } = await handler(event, lambdaContext())
  parentPort?.postMessage({ n, statusCode, body } satisfies Answer)
})
parentPort?.postMessage('ready')
