// Serves an API of AWS that speaks JSON, for an emulator in this process.
import { createServer, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { listenHidden } from './addresses.ts'

/** An error of the client, by the name that AWS gives it. */
export class Refusal extends Error {
  constructor(name: string, message: string) {
    super(message)
    this.name = name
  }
}

/** Answers a call with what `answer` returns: a Refusal with 400, another error with 500. */
export function serveJson(answer: (request: IncomingMessage, body: unknown) => Promise<object>) {
  const reply = async (request: IncomingMessage): Promise<[status: number, body: object]> => {
    try {
      return [200, await answer(request, await json(request))]
    } catch (error) {
      const { name, message } = error instanceof Error ? error : new Error(String(error))
      return [error instanceof Refusal ? 400 : 500, { __type: name, message }]
    }
  }
  const server = createServer(async (request, response) => {
    const [status, body] = await reply(request)
    response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body))
  })
  return listenHidden(server)
}
