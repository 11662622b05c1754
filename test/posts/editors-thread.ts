// A thread that plays many environments of the functions for posts and categories at once.
import { parentPort } from 'node:worker_threads'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { lambdaContext } from '../world/proxy-event.ts'

const functions = {
  posts: await import('../../functions/admin-posts.ts'),
  categories: await import('../../functions/admin-categories.ts'),
}
export type Ask = { n: number; of: keyof typeof functions; event: APIGatewayProxyEvent }
export type Answer = { n: number; statusCode: number; body: string }

parentPort?.on('message', async ({ n, of, event }: Ask) => {
  const { statusCode, body } = await functions[of].handler(event, lambdaContext())
  parentPort?.postMessage({ n, statusCode, body } satisfies Answer)
})
parentPort?.postMessage('ready')
