// A client of the table whose HTTP handler answers every request with `{}` and keeps it.
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { connect } from '../../shared/table/connect.ts'

export type Sent = {
  protocol: string
  hostname: string
  port?: number
  path: string
  headers: Record<string, string>
}

/** A handler that answers everything with `{}` and keeps the requests. */
export function openHandler(answerHeaders: (request: Sent) => Record<string, string> = () => ({})) {
  const requests: Sent[] = []
  const handle = async (request: Sent) => {
    requests.push(request)
    const { Readable } = await import('node:stream')
    const body = Readable.from([Buffer.from('{}')], { objectMode: false })
    return { response: { statusCode: 200, headers: answerHeaders(request), body } }
  }
  return { requests, handle }
}

export const credentials = { accessKeyId: 'AKID', secretAccessKey: 'a secret' }
export function get() {
  return new GetCommand({ TableName: 'a table', Key: { pk: 'a' } })
}

/** The first call, which the SDK does, and a second. */
export async function twoCalls(settings: DynamoDBClientConfig, call = get) {
  const handler = openHandler()
  const client = connect({ region: 'eu-west-1', credentials, ...settings, requestHandler: handler as never })
  await client.send(call())
  await client.send(call())
  return handler.requests
}

export function isOfSdk({ headers }: Sent): boolean {
  return headers['amz-sdk-invocation-id'] !== undefined
}
