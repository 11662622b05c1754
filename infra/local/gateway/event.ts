// The two events of a REST API: the one that a function gets, and the one that its authorizer gets.
import { type GatewayRequest, lastValues } from './gateway-request.ts'
import type { Match } from './routes.ts'
import type { ApiKey } from './usage-plans.ts'

export type Api = {
  id: string
  stage: string
  stageVariables: Record<string, string> | null
  region: string
  accountId: string
  partition: string
}

type CommonEvent = ReturnType<typeof commonEvent>

/** The members of both events. */
export function commonEvent(request: GatewayRequest, match: Match, api: Api) {
  const query = decodedQuery(request.query)
  return {
    resource: match.resource,
    path: request.path,
    httpMethod: request.httpMethod,
    headers: request.headers,
    multiValueHeaders: request.multiValueHeaders,
    queryStringParameters: nullIfEmpty(lastValues(query)),
    multiValueQueryStringParameters: nullIfEmpty(query),
    pathParameters: nullIfEmpty(match.pathParameters),
    stageVariables: api.stageVariables,
    requestContext: commonContext(request, match, api),
  }
}

/** The event of an authorizer of the type REQUEST. */
export function authorizerEvent(event: CommonEvent, api: Api) {
  const { partition, region, accountId, id, stage } = api
  const methodArn = `arn:${partition}:execute-api:${region}:${accountId}:${id}/${stage}/${event.httpMethod}${event.path}`
  return { type: 'REQUEST', methodArn, ...event }
}

/**
 * The event of a function. Where bodies are no binary media type, U+FFFD replaces what is not UTF-8.
 * `authorizer` is the context from its authorizer, if the method has one.
 */
export function proxyEvent(
  event: CommonEvent,
  { bytes, isBinary }: { bytes: Buffer; isBinary: boolean },
  authorizer: Record<string, string> | undefined,
  apiKey: ApiKey | undefined,
) {
  const { identity, ...context } = event.requestContext
  const key = apiKey ? { apiKey: apiKey.value, apiKeyId: apiKey.id } : {}
  return {
    ...event,
    requestContext: {
      ...context,
      ...(authorizer ? { authorizer } : {}),
      identity: { ...identity, ...key },
    },
    body: bytes.length === 0 ? null : bytes.toString(isBinary ? 'base64' : 'utf8'),
    isBase64Encoded: isBinary && bytes.length > 0,
  }
}

// The paths of the local API have no stage, so path and domain are as behind a custom domain.
function commonContext(request: GatewayRequest, match: Match, api: Api) {
  return {
    accountId: api.accountId,
    apiId: api.id,
    domainName: request.host,
    domainPrefix: request.host.split('.')[0] ?? '',
    extendedRequestId: request.extendedRequestId,
    httpMethod: request.httpMethod,
    identity: {
      accessKey: null,
      accountId: null,
      caller: null,
      sourceIp: request.sourceIp,
      user: null,
      userAgent: request.userAgent,
      userArn: null,
    },
    path: request.path,
    protocol: request.protocol,
    requestId: request.requestId,
    requestTime: commonLogTime(request.receivedAtMs),
    requestTimeEpoch: request.receivedAtMs,
    resourceId: match.resource,
    resourcePath: match.resource,
    stage: api.stage,
  }
}

/** For example `09/Apr/2027:12:34:56 +0000`. */
function commonLogTime(atMs: number): string {
  const [, day, month, year, time] = new Date(atMs).toUTCString().split(' ')
  return `${day}/${month}/${year}:${time} +0000`
}

function decodedQuery(query: string): Record<string, string[]> {
  const values = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(query)) {
    values.set(name, [...(values.get(name) ?? []), value])
  }
  return Object.fromEntries(values)
}

function nullIfEmpty<T extends object>(values: T): T | null {
  return Object.keys(values).length > 0 ? values : null
}
