// A server that plays given answers, and two clients of each service: the SDK's own, and the direct one.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs'
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb'
import { openSender } from '../../shared/events/sender.ts'
import { openSqs } from '../../shared/events/sqs.ts'
import { BOUNDS, connect } from '../../shared/table/connect.ts'

export type SentRequest = { operation: string; headers: IncomingHttpHeaders; body: unknown }
/** `closes`: before the answer. `breaks`: after half of it. `hangs`: no answer comes. */
export type Played =
  | { status?: number; headers?: Record<string, string>; body?: string; breaks?: boolean }
  | 'closes'
  | 'hangs'

export const TableName = 'a table'
const SETTINGS = {
  region: 'eu-central-1',
  credentials: { accessKeyId: 'AKID', secretAccessKey: 'a secret', sessionToken: 'a-token' },
}

export type Clients = Awaited<ReturnType<typeof openBothClients>>

export async function openBothClients() {
  const requests: SentRequest[] = []
  /** The last one is played for all requests after it. */
  let played: Played[] = [{}]
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const [, operation = ''] = String(request.headers['x-amz-target']).split('.')
    const body = parsed(Buffer.concat(chunks).toString())
    requests.push({ operation, headers: request.headers, body })
    answer(response, (played.length > 1 ? played.shift() : played[0]) ?? {})
  })
  // No pooled connection is closed by the server while a client sends its next request.
  server.keepAliveTimeout = 300_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const endpoint = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const QueueUrl = `${endpoint}/000000000000/a-queue`

  const play = (...answers: Played[]): void => {
    requests.length = 0
    played = answers
  }

  /** What the SDK does without us, with the same settings. */
  const openStock = () => {
    const client = new DynamoDBClient({ ...SETTINGS, endpoint, maxAttempts: 1, requestHandler: BOUNDS })
    return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })
  }
  /** Calls directly from now on: the first call has told it how. */
  const openDirect = async () => {
    const client = connect({ ...SETTINGS, endpoint })
    play({})
    await client.send(new GetCommand({ TableName, Key: { pk: 'the first call' } }))
    return client
  }
  const openStockQueues = (settings: SQSClientConfig = {}) =>
    new SQSClient({ ...SETTINGS, ...settings, endpoint, useQueueUrlAsEndpoint: false })
  const openDirectQueues = async (settings: SQSClientConfig = {}) => {
    const client = openSqs({ AWS_ENDPOINT_URL: endpoint }, { ...SETTINGS, ...settings })
    play({})
    await openSender(client, () => QueueUrl, Date.now).send([
      { queue: 'tidy', body: { kind: 'list', list: '' } },
    ])
    return client
  }
  return {
    requests,
    play,
    QueueUrl,
    openStock,
    openDirect,
    openStockQueues,
    openDirectQueues,
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The SDK writes no JSON for some values that it does not refuse. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function answer(response: ServerResponse, played: Played): void {
  if (played === 'hangs') return
  if (played === 'closes') {
    response.socket?.destroy()
    return
  }
  const { status = 200, headers = {}, body = '{}', breaks = false } = played
  const ids = { 'x-amzn-RequestId': 'an id of a request', 'x-amz-id-2': 'another' }
  response.writeHead(status, {
    'Content-Type': 'application/x-amz-json-1.0',
    'Content-Length': Buffer.byteLength(body),
    ...ids,
    ...headers,
  })
  if (!breaks) {
    response.end(body)
    return
  }
  response.write(body.slice(0, body.length / 2), () => response.socket?.destroy())
}

/** Whether the SDK made the request, and not a direct call. */
export function isOfSdk({ headers }: SentRequest): boolean {
  return headers['amz-sdk-invocation-id'] !== undefined
}
