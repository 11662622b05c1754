// A test's table behind interceptors, as a function's worker calls it.
import { clientSettings } from '../../infra/local/account.ts'
import { connect, type TableOperations } from '../../shared/table/client.ts'
import type { Crash, Interceptor } from './faults/call.ts'
import { startCallProxy } from './faults/call-proxy.ts'
import { type Interceptable, interceptable } from './interceptable.ts'

export type InterceptedTable = { client: Interceptable<TableOperations>; stop: () => Promise<void> }
/** Starts interceptors in front of the table at `endpoint`. */
export type Intercept = (endpoint: string) => Promise<InterceptedTable>

/** @param crash is called when an interceptor crashes the function. */
export async function openIntercepted(
  endpoint: string,
  interceptors: Interceptor[],
  crash: Crash = () => undefined,
): Promise<InterceptedTable> {
  const upstreams = { dynamodb: endpoint, sqs: endpoint, ses: endpoint }
  const { endpoints, stop } = await startCallProxy(upstreams, interceptors, crash)
  return connectTo(endpoints.dynamodb, stop)
}

/** Opens a separate client, which closes before `stop`. */
export function connectTo(endpoint: string, stop: () => Promise<unknown>): InterceptedTable {
  const client = interceptable(connect(clientSettings(endpoint, 'Function')))
  return {
    client,
    stop: async () => {
      client.destroy()
      await stop()
    },
  }
}
