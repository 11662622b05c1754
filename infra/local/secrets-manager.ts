// An emulator of Secrets Manager: functions and the operator read and write the secrets of the local run.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import * as z from 'zod/mini'
import { listenHidden } from './addresses.ts'
import type { Secrets } from './secrets.ts'

export type SecretsManager = {
  endpoint: string
  stop(): Promise<void>
}

const GetInput = z.object({ SecretId: z.string() })
const PutInput = z.object({ SecretId: z.string(), SecretString: z.string(), ClientRequestToken: z.string() })

export async function startSecretsManager(secrets: Secrets): Promise<SecretsManager> {
  const server = createServer((request, response) => {
    answer(request, response).catch(error =>
      fail(response, 'InternalServiceError', error instanceof Error ? error.message : String(error)),
    )
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const operation = String(request.headers['x-amz-target']).split('.')[1]
    const body: unknown = JSON.parse(await text(request))
    const { SecretId: id } = GetInput.parse(body)
    const value = secrets.values[id]
    if (value === undefined) {
      return fail(response, 'ResourceNotFoundException', `There is no secret ${id}.`)
    }
    if (operation === 'GetSecretValue') {
      return send(response, 200, { ARN: id, SecretString: value, VersionId: secrets.versionOf(id) })
    }
    if (operation !== 'PutSecretValue') {
      return fail(response, 'InvalidRequestException', `This emulator has no operation ${operation}.`)
    }
    const { SecretString, ClientRequestToken: version } = PutInput.parse(body)
    if (!(await secrets.write(id, SecretString, version))) {
      return fail(response, 'ResourceExistsException', `The version ${version} exists with another value.`)
    }
    send(response, 200, { ARN: id, VersionId: version })
  }

  return await listenHidden(server)
}

function fail(response: ServerResponse, type: string, message: string): void {
  send(response, 400, { __type: type, message })
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body))
}
