// Stands between the service and the emulators: every call goes past its judges, over the real wire.
import { once } from 'node:events'
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as open,
  type ServerResponse,
} from 'node:http'
import { buffer } from 'node:stream/consumers'
import { type Answer, type Call, type Crash, HungUp, type Judge, type Service } from './call.ts'

export type Interposer = {
  /** Where each service is to be called instead. */
  endpoints: Record<Service, string>
  stop(): Promise<void>
}

/** The first judge is asked first; the last one's `next` is the emulator. A call costs some 0.3 ms more. */
export async function startInterposer(
  upstreams: Record<Service, string>,
  judges: Judge[],
  crash: Crash = () => {},
): Promise<Interposer> {
  const agent = new Agent({ keepAlive: true })
  const ask = (upstream: string): ((call: Call) => Promise<Answer>) =>
    judges.reduceRight<(call: Call) => Promise<Answer>>(
      (next, judge) => call => judge(call, next, crash),
      call => forward(agent, upstream, call),
    )
  const dynamodb = await listen('dynamodb', ask(upstreams.dynamodb))
  const sqs = await listen('sqs', ask(upstreams.sqs))
  const ses = await listen('ses', ask(upstreams.ses))
  return {
    endpoints: { dynamodb: dynamodb.url, sqs: sqs.url, ses: ses.url },
    async stop() {
      await Promise.all([dynamodb.stop(), sqs.stop(), ses.stop()])
      agent.destroy()
    },
  }
}

async function listen(service: Service, ask: (call: Call) => Promise<Answer>) {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    void serve(service, ask, request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      server.closeAllConnections()
      return new Promise(resolve => server.close(resolve))
    },
  }
}

async function serve(
  service: Service,
  ask: (call: Call) => Promise<Answer>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { status, headers, body } = await ask(callOf(service, request, await buffer(request)))
    response.writeHead(status, { ...headers, 'content-length': body.length }).end(body)
  } catch {
    // HungUp, or an emulator that is gone: the caller sees what a broken network looks like.
    request.socket.destroy()
  }
}

function callOf(service: Service, request: IncomingMessage, body: Buffer): Call {
  const { method = 'POST', url: path = '/' } = request
  const headers = textsOf(request.headers)
  const [, accessKeyId = ''] = /Credential=([^/,\s]+)\//.exec(headers.authorization ?? '') ?? []
  const operation = headers['x-amz-target']?.split('.').at(-1) ?? `${method} ${path}`
  const session = headers['x-amz-security-token'] ?? ''
  return { service, operation, accessKeyId, session, method, path, headers, body }
}

/** Each hop has its own connection, and length or chunks of its own. */
const ofOneHop = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length'])

function textsOf(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || ofOneHop.has(name) ? [] : [[name, String(value)]],
    ),
  )
}

function forward(agent: Agent, upstream: string, { method, path, headers, body }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = { 'content-length': String(body.length) }
    const sending = open(
      `${upstream}${path}`,
      { method, agent, headers: { ...headers, ...length } },
      response => {
        buffer(response).then(
          received =>
            resolve({
              status: response.statusCode ?? 502,
              headers: textsOf(response.headers),
              body: received,
            }),
          reject,
        )
      },
    )
    sending.on('error', () => reject(new HungUp()))
    sending.end(body)
  })
}
