// The table of a test behind judges, as a function's worker calls it.
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { clientOf } from '../../infra/local/account.ts'
import type { Crash, Judge } from '../../infra/local/faults/call.ts'
import { startInterceptor } from '../../infra/local/faults/interceptor.ts'
import { connect } from '../../shared/table/connect.ts'

export type Interposed = { client: DynamoDBDocumentClient; stop: () => Promise<void> }
/** Stands before the table at `endpoint`. */
export type Through = (endpoint: string) => Promise<Interposed>

/** `crash` hears of the worker that a judge wants ended. */
export async function openInterposed(
  endpoint: string,
  judges: Judge[],
  crash: Crash = () => undefined,
): Promise<Interposed> {
  const upstreams = { dynamodb: endpoint, sqs: endpoint, ses: endpoint }
  const { endpoints, stop } = await startInterceptor(upstreams, judges, crash)
  return connected(endpoints.dynamodb, stop)
}

/** A client of its own, which ends before `stop`. */
export function connected(endpoint: string, stop: () => Promise<unknown>): Interposed {
  const client = connect(clientOf(endpoint, { accessKeyId: 'Function', session: 'a worker' }))
  return {
    client,
    stop: async () => {
      client.destroy()
      await stop()
    },
  }
}
