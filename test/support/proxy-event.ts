// Builds the event of a REST API for one call of an endpoint, and the context that Lambda passes with it.
import type { APIGatewayProxyEvent, Context } from 'aws-lambda'
import type { Endpoint } from '../../shared/http/endpoint.ts'
import type { CallOptions } from './call.ts'

/** `path`: the requested path, if it is not the endpoint's. */
export type EventOptions = CallOptions & { sourceIp?: string; method?: string; path?: string }

export function proxyEventOf(endpoint: Endpoint, options: EventOptions = {}): APIGatewayProxyEvent {
  const { params = {}, query = {}, body, token, headers = {}, sourceIp = '192.0.2.1' } = options
  const method = options.method ?? endpoint.method
  const sentHeaders = { ...(token && { Authorization: `Bearer ${token}` }), ...headers }
  const texts = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))
  return {
    resource: endpoint.path,
    path: options.path ?? endpoint.path,
    httpMethod: method,
    headers: sentHeaders,
    multiValueHeaders: listed(sentHeaders),
    pathParameters: Object.fromEntries(
      Object.entries(params).map(([name, value]) => [name, encodeURIComponent(value)]),
    ),
    queryStringParameters: texts,
    multiValueQueryStringParameters: listed(texts),
    stageVariables: null,
    requestContext: contextOf(endpoint.path, method, sourceIp),
    body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    isBase64Encoded: false,
  }
}

function listed(values: Record<string, string>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]))
}

function contextOf(
  path: string,
  httpMethod: string,
  sourceIp: string,
): APIGatewayProxyEvent['requestContext'] {
  return {
    accountId: '1',
    apiId: 'api',
    authorizer: undefined,
    protocol: 'HTTP/1.1',
    httpMethod,
    path,
    stage: 'live',
    requestId: 'gateway',
    requestTimeEpoch: 0,
    resourceId: 'resource',
    resourcePath: path,
    identity: {
      accessKey: null,
      accountId: null,
      apiKey: null,
      apiKeyId: null,
      caller: null,
      clientCert: null,
      cognitoAuthenticationProvider: null,
      cognitoAuthenticationType: null,
      cognitoIdentityId: null,
      cognitoIdentityPoolId: null,
      principalOrgId: null,
      sourceIp,
      user: null,
      userAgent: null,
      userArn: null,
    },
  }
}

/** @param remainingMs the time until the function's time-out. */
export function lambdaContext(remainingMs = 20_000): Context {
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: 'test',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:us-east-1:1:function:test',
    memoryLimitInMB: '1024',
    awsRequestId: 'invocation',
    logGroupName: 'log',
    logStreamName: 'stream',
    getRemainingTimeInMillis: () => remainingMs,
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  }
}
