// The table of a test behind judges, as a function's worker calls it.
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { Crash, Judge } from '../../infra/local/interpose/call.ts'
import { startInterposer } from '../../infra/local/interpose/interposer.ts'
import { connect } from '../../shared/table/connect.ts'

/** `crash` hears of the worker that a judge wants ended. */
export const openInterposed = async (
  endpoint: string,
  judges: Judge[],
  crash: Crash = () => undefined,
): Promise<{ client: DynamoDBDocumentClient; stop: () => Promise<void> }> => {
  const upstreams = { dynamodb: endpoint, sqs: endpoint, ses: endpoint }
  const { endpoints, stop } = await startInterposer(upstreams, judges, crash)
  const credentials = { accessKeyId: 'Function', secretAccessKey: 'x', sessionToken: 'a worker' }
  const client = connect({ endpoint: endpoints.dynamodb, region: 'us-east-1', credentials })
  return {
    client,
    stop: async () => {
      client.destroy()
      await stop()
    },
  }
}
