// A thread that runs the functions for posts and categories, many requests at a time.
import { parentPort } from 'node:worker_threads'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { lambdaContext } from '../world/proxy-event.ts'

const functions = {
  posts: await import('../../functions/admin-posts.ts'),
  categories: await import('../../functions/admin-categories.ts'),
}
export type EditRequest = { n: number; name: keyof typeof functions; event: APIGatewayProxyEvent }
export type Answer = { n: number; statusCode: number; body: string }

parentPort?.on('message', async ({ n, name, event }: EditRequest) => {
  const { statusCode, body } = await functions[name].handler(event, lambdaContext())
  parentPort?.postMessage({ n, statusCode, body } satisfies Answer)
})
parentPort?.postMessage('ready')
