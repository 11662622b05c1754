// The id of a request: the client's own where it is well-formed, else a new one.
import { randomUUID } from 'node:crypto'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import { headerOf } from './exchange.ts'

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/

export const requestIdOf = (event: APIGatewayProxyEvent): string => {
  const given = headerOf({ event }, 'x-request-id')
  return given && REQUEST_ID.test(given) ? given : randomUUID()
}
