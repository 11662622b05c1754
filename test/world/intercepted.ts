// A test's table behind interceptors, as a function's worker calls it.
import { clientSettings } from '../../infra/local/account.ts'
import type { Crash, Interceptor } from '../../infra/local/faults/call.ts'
import { startCallProxy } from '../../infra/local/faults/call-proxy.ts'
import { connect, type TableOperations } from '../../shared/table/connect.ts'
import { type Interceptable, interceptable } from './interceptable.ts'

export type InterceptedTable = { client: Interceptable<TableOperations>; stop: () => Promise<void> }
/** Starts interceptors in front of the table at `endpoint`. */
export type Intercept = (endpoint: string) => Promise<InterceptedTable>

/** @param crash is called with the worker that an interceptor crashes. */
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
  const settings = clientSettings(endpoint, { accessKeyId: 'Function', session: 'a worker' })
  const client = interceptable(connect(settings))
  return {
    client,
    stop: async () => {
      client.destroy()
      await stop()
    },
  }
}
