// The table of a test behind interceptors, as a function's worker calls it.
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { clientSettings } from '../../infra/local/account.ts'
import type { Crash, Interceptor } from '../../infra/local/faults/call.ts'
import { startCallProxy } from '../../infra/local/faults/call-proxy.ts'
import { connect } from '../../shared/table/connect.ts'

export type Interposed = { client: DynamoDBDocumentClient; stop: () => Promise<void> }
/** Stands before the table at `endpoint`. */
export type Through = (endpoint: string) => Promise<Interposed>

/** `crash` hears of the worker that an interceptor crashes. */
export async function openInterposed(
  endpoint: string,
  interceptors: Interceptor[],
  crash: Crash = () => undefined,
): Promise<Interposed> {
  const upstreams = { dynamodb: endpoint, sqs: endpoint, ses: endpoint }
  const { endpoints, stop } = await startCallProxy(upstreams, interceptors, crash)
  return connected(endpoints.dynamodb, stop)
}

/** A client of its own, which ends before `stop`. */
export function connected(endpoint: string, stop: () => Promise<unknown>): Interposed {
  const client = connect(clientSettings(endpoint, { accessKeyId: 'Function', session: 'a worker' }))
  return {
    client,
    stop: async () => {
      client.destroy()
      await stop()
    },
  }
}
