// In a function's worker thread: what it sends to an emulator is judged before it leaves, and refused as AWS refuses.
import { Socket } from 'node:net'
import { type AwsCall, dynamodbRequests, type PartitionKeys, sesRequests, sqsRequests } from './calls.ts'
import { judgeOf, type Note } from './evaluate.ts'
import type { AccessRequest, Statement } from './policy.ts'
import { type Refusal, requestReader, type WholeRequest, written } from './requests.ts'

/** What a function's role lets it do, and where the emulators listen. */
export type FunctionAccess = {
  statements: Statement[]
  partitionKeys: PartitionKeys
  ports: { dynamodb: number; sqs: number; ses: number }
}

/** An import would read all that it exports, and some of that loads a client of HTTP that no function needs: 17 ms. */
const { Agent } = process.getBuiltinModule('node:http')

type Look = (request: WholeRequest) => Refusal | undefined

/**
 * On every connection from now on. A proxy would do the same for a fifth of a request's time: each call of it goes
 * through two more sockets, and this judges where the call is made.
 */
export function judgeCalls(functionId: string, access: FunctionAccess, note: (note: Note) => void): void {
  const { statements, partitionKeys, ports } = access
  const judge = judgeOf(functionId, statements, note)
  const looking = (status: number, requestsOf: (call: AwsCall) => AccessRequest[]): Look => {
    return ({ operation, body }) => {
      const problem = judge(requestsOf({ operation, input: body === '' ? {} : JSON.parse(body) }))
      return problem === undefined ? undefined : refusal(status, problem)
    }
  }
  const looks = new Map([
    [ports.dynamodb, looking(400, call => dynamodbRequests(call, partitionKeys))],
    [ports.sqs, looking(403, sqsRequests)],
    [ports.ses, looking(403, sesRequests)],
  ])
  const connect = Agent.prototype.createConnection
  Agent.prototype.createConnection = function createConnection(options, callback) {
    const socket = connect.call(this, options, callback)
    const look = looks.get(Number(options.port))
    if (look && socket instanceof Socket) watch(socket, look)
    return socket
  }
}

/** Lets whole requests through only; the answer to one that is refused comes from here, on the same connection. */
function watch(socket: Socket, look: Look): void {
  const send = socket.write.bind(socket)
  const read = requestReader()
  socket.write = (chunk: string | Uint8Array, ...more: unknown[]): boolean => {
    const [encoding, done] = [more[0], more.at(-1)]
    const bytes =
      typeof chunk === 'string'
        ? Buffer.from(chunk, isEncoding(encoding) ? encoding : 'utf8')
        : Buffer.from(chunk)
    for (const request of read(bytes)) {
      const refusal = look(request)
      if (refusal) {
        setImmediate(() => socket.push(written(refusal)))
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
