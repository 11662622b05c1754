// The table of a test behind interceptors, as a function's worker calls it.
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { clientSettings } from '../../infra/local/account.ts'
import type { Crash, Interceptor } from '../../infra/local/faults/call.ts'
import { startCallProxy } from '../../infra/local/faults/call-proxy.ts'
import { connect } from '../../shared/table/connect.ts'

export type InterceptedTable = { client: DynamoDBDocumentClient; stop: () => Promise<void> }
/** Stands before the table at `endpoint`. */
export type Intercept = (endpoint: string) => Promise<InterceptedTable>

/** `crash` hears of the worker that an interceptor crashes. */
export async function openIntercepted(
  endpoint: string,
  interceptors: Interceptor[],
  crash: Crash = () => undefined,
): Promise<InterceptedTable> {
  const upstreams = { dynamodb: endpoint, sqs: endpoint, ses: endpoint }
  const { endpoints, stop } = await startCallProxy(upstreams, interceptors, crash)
  return connectTo(endpoints.dynamodb, stop)
}

/** A client of its own, which ends before `stop`. */
export function connectTo(endpoint: string, stop: () => Promise<unknown>): InterceptedTable {
  const client = connect(clientSettings(endpoint, { accessKeyId: 'Function', session: 'a worker' }))
  return {
    client,
    stop: async () => {
      client.destroy()
      await stop()
    },
  }
}
