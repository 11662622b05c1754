// The id of a request: the client's own if it is well-formed, else the gateway's.
import { randomUUID } from 'node:crypto'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { headerOf } from './request-context.ts'

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

/** The gateway's id, which is in its access log and in the answers that the gateway generates itself. */
export function gatewayIdOf({ requestContext }: APIGatewayProxyEvent): string {
  return requestContext.requestId || randomUUID()
}

export function requestIdOf(event: APIGatewayProxyEvent, gatewayId = gatewayIdOf(event)): string {
  const clientId = headerOf({ event }, 'x-request-id')
  return clientId && REQUEST_ID.test(clientId) ? clientId : gatewayId
}
