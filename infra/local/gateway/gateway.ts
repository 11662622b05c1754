// The REST API of the template on a port of this machine.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Answer, send } from './answer.ts'
import { readBody, readRequest } from './gateway-request.ts'
import { createRestApi, type RestApiOptions } from './rest-api.ts'

export type Gateway = {
  port: number
  /** Takes no more requests, finishes what runs (4 seconds at most) and closes. */
  stop(): Promise<void>
}

const keepAliveTimeoutMs = 65_000
const stopLimitMs = 4_000

/**
 * @param options.port 0 for any free one. Base URL: `http://<host>:<port>`, without the name of a stage.
 * @param options.page answers in place of the API where a path is that of a page of this machine.
 */
export async function startGateway(
  options: RestApiOptions & {
    port: number
    host?: string
    page?: (path: string) => Promise<Answer | undefined>
  },
): Promise<Gateway> {
  const { port, host = '127.0.0.1', page } = options
  const restApi = createRestApi(options)
  let stopping = false

  async function handle(message: IncomingMessage, response: ServerResponse) {
    const request = readRequest(message, Date.now())
    const body = await readBody(message)
    const answer = (await page?.(request.path)) ?? (await restApi.answer(request, body))
    if (stopping || !message.complete) response.setHeader('Connection', 'close')
    send(message, response, answer)
  }

  const server = createServer({ keepAliveTimeout: keepAliveTimeoutMs }, (message, response) => {
    // What fails here is the connection: the client has gone, or the answer has a header that cannot be written.
    handle(message, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', error => {
      const inUse = 'code' in error && error.code === 'EADDRINUSE'
      reject(
        inUse
          ? new Error(`Port ${port} of ${host} is in use: end what listens there or choose another.`)
          : error,
      )
    })
    server.listen(port, host, resolve)
  })
  const address = server.address()

  return {
    port: address && typeof address === 'object' ? address.port : port,
    async stop() {
      stopping = true
      const timer = setTimeout(() => server.closeAllConnections(), stopLimitMs)
      await new Promise<void>(resolve => server.close(() => resolve()))
      clearTimeout(timer)
    },
  }
}
