// Runs in a function's worker thread: checks each call to an emulator, and denies it as AWS does.
import { Socket } from 'node:net'
import {
  type AwsCall,
  dynamodbRequests,
  type PartitionKeys,
  secretRequests,
  sesRequests,
  sqsRequests,
} from './calls.ts'
import { type AccessNote, createEvaluator } from './evaluate.ts'
import type { AccessRequest, Statement } from './policy.ts'
import { type AwsRequest, type Refusal, requestReader, serializeRefusal } from './requests.ts'

/** The permissions of a function's role, and the ports of the emulators. */
export type FunctionAccess = {
  statements: Statement[]
  partitionKeys: PartitionKeys
  ports: { dynamodb: number; sqs: number; ses: number; secretsManager: number }
}

/** An ES import would load every export of node:http, among them an HTTP client that costs 17 ms. */
const { Agent } = process.getBuiltinModule('node:http')

type Inspect = (request: AwsRequest) => Refusal | undefined

/** Checks every later connection. A proxy could do the same, but costs a fifth of a request's time. */
export function enforceAccess(
  functionId: string,
  access: FunctionAccess,
  note: (note: AccessNote) => void,
): void {
  const { statements, partitionKeys, ports } = access
  const evaluate = createEvaluator(functionId, statements, note)
  const inspectorFor = (status: number, requestsOf: (call: AwsCall) => AccessRequest[]): Inspect => {
    return ({ operation, body }) => {
      const denial = evaluate(requestsOf({ operation, input: body === '' ? {} : JSON.parse(body) }))
      return denial === undefined ? undefined : refusal(status, denial)
    }
  }
  const inspectors = new Map([
    [ports.dynamodb, inspectorFor(400, call => dynamodbRequests(call, partitionKeys))],
    [ports.sqs, inspectorFor(403, sqsRequests)],
    [ports.ses, inspectorFor(403, sesRequests)],
    [ports.secretsManager, inspectorFor(400, secretRequests)],
  ])
  const connect = Agent.prototype.createConnection
  Agent.prototype.createConnection = function createConnection(options, callback) {
    const socket = connect.call(this, options, callback)
    const inspect = inspectors.get(Number(options.port))
    if (inspect && socket instanceof Socket) inspectWrites(socket, inspect)
    return socket
  }
}

/** Sends complete requests only. A denied request is answered here, on the same connection. */
function inspectWrites(socket: Socket, inspect: Inspect): void {
  const send = socket.write.bind(socket)
  const read = requestReader()
  socket.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const [encoding, done] = [rest[0], rest.at(-1)]
    const bytes =
      typeof chunk === 'string'
        ? Buffer.from(chunk, isEncoding(encoding) ? encoding : 'utf8')
        : Buffer.from(chunk)
    for (const request of read(bytes)) {
      const refusal = inspect(request)
      if (refusal) {
        setImmediate(() => socket.push(serializeRefusal(refusal)))
      } else {
        send(request.bytes)
      }
    }
    if (typeof done === 'function') process.nextTick(done)
    return true
  }
}

function isEncoding(value: unknown): value is BufferEncoding {
  return typeof value === 'string' && Buffer.isEncoding(value)
}

const ERROR = 'AccessDeniedException'

function refusal(status: number, message: string): Refusal {
  return {
    status,
    headers: { 'Content-Type': 'application/x-amz-json-1.0', 'x-amzn-ErrorType': ERROR },
    body: { __type: `com.amazon.coral.service#${ERROR}`, message },
  }
}
