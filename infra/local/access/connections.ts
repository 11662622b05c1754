// In a function's worker thread: what it sends to an emulator is judged before it leaves, and refused as AWS refuses.
import { Socket } from 'node:net'
import { type AwsCall, dynamodbRequests, type PartitionKeys, sesRequests, sqsRequests } from './calls.ts'
import { type AccessNote, createEvaluator } from './evaluate.ts'
import type { AccessRequest, Statement } from './policy.ts'
import { type AwsRequest, type Refusal, requestReader, serializeRefusal } from './requests.ts'

/** What a function's role lets it do, and where the emulators listen. */
export type FunctionAccess = {
  statements: Statement[]
  partitionKeys: PartitionKeys
  ports: { dynamodb: number; sqs: number; ses: number }
}

/** An import would read all that it exports, and some of that loads a client of HTTP that no function needs: 17 ms. */
const { Agent } = process.getBuiltinModule('node:http')

type Inspect = (request: AwsRequest) => Refusal | undefined

/**
 * On every connection from now on. A proxy would do the same for a fifth of a request's time: each call of it goes
 * through two more sockets, and this judges where the call is made.
 */
export function enforceAccess(
  functionId: string,
  access: FunctionAccess,
  note: (note: AccessNote) => void,
): void {
  const { statements, partitionKeys, ports } = access
  const evaluate = createEvaluator(functionId, statements, note)
  const inspectorFor = (status: number, requestsOf: (call: AwsCall) => AccessRequest[]): Inspect => {
    return ({ operation, body }) => {
      const problem = evaluate(requestsOf({ operation, input: body === '' ? {} : JSON.parse(body) }))
      return problem === undefined ? undefined : refusal(status, problem)
    }
  }
  const inspectors = new Map([
    [ports.dynamodb, inspectorFor(400, call => dynamodbRequests(call, partitionKeys))],
    [ports.sqs, inspectorFor(403, sqsRequests)],
    [ports.ses, inspectorFor(403, sesRequests)],
  ])
  const connect = Agent.prototype.createConnection
  Agent.prototype.createConnection = function createConnection(options, callback) {
    const socket = connect.call(this, options, callback)
    const inspect = inspectors.get(Number(options.port))
    if (inspect && socket instanceof Socket) inspectWrites(socket, inspect)
    return socket
  }
}

/** Lets whole requests through only; the answer to one that is refused comes from here, on the same connection. */
function inspectWrites(socket: Socket, inspect: Inspect): void {
  const send = socket.write.bind(socket)
  const read = requestReader()
  socket.write = (chunk: string | Uint8Array, ...more: unknown[]): boolean => {
    const [encoding, done] = [more[0], more.at(-1)]
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

function isEncoding(given: unknown): given is BufferEncoding {
  return typeof given === 'string' && Buffer.isEncoding(given)
}

const ERROR = 'AccessDeniedException'

function refusal(status: number, message: string): Refusal {
  return {
    status,
    headers: { 'Content-Type': 'application/x-amz-json-1.0', 'x-amzn-ErrorType': ERROR },
    body: { __type: `com.amazon.coral.service#${ERROR}`, message },
  }
}
