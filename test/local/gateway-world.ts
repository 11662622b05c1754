// A small REST API on a free port: a hand-written template, real functions, the real gateway.
import { type OutgoingHttpHeaders, request } from 'node:http'
import { onTestFinished } from 'vitest'
import { startGateway } from '../../infra/local/gateway/gateway.ts'
import { createFunctions } from '../../infra/local/lambda/functions.ts'
import { createTemplate, functionResource, resolverFor } from './assembly.ts'

type Resources = Parameters<typeof createTemplate>[0]
type Properties = Record<string, unknown>

/** A handler that returns the value of an expression with `event`. */
export function returning(expression: string) {
  return `exports.handler = async event => (${expression})`
}

/** Answers with its event. */
export const echo = returning('{ statusCode: 200, body: JSON.stringify(event) }')

/** An authorizer that allows everything and counts its calls. Its usage key is `tier-key`. */
export const ALLOW_ALL = `
let calls = 0
exports.handler = async event => ({
  principalId: 'tier',
  policyDocument: { Statement: [{ Effect: 'Allow', Action: '*', Resource: event.methodArn.replace(/\\/.*/, '/*/*') }] },
  usageIdentifierKey: 'tier-key',
  context: { calls: ++calls, type: event.type, methodArn: event.methodArn },
})`

/**
 * @param methods by `GET /path`: the id of the function that answers, or the properties of the method.
 * @param code the sources of the functions.
 */
export async function startWorld(options: {
  methods: Record<string, string | Properties>
  code?: Record<string, string>
  api?: Properties
  functions?: Properties
  resources?: Resources
}) {
  const {
    methods,
    code = { Echo: echo },
    api = {},
    functions: ofFunctions = {},
    resources: extraResources = {},
  } = options
  const resources: Resources = {
    Api: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'Api', ...api } },
    Stage: { Type: 'AWS::ApiGateway::Stage', Properties: { RestApiId: { Ref: 'Api' }, StageName: 'v1' } },
    ...Object.fromEntries(Object.keys(code).map(id => [id, functionResource(id, ofFunctions)])),
    ...extraResources,
  }
  for (const [route, target] of Object.entries(methods)) addMethod(resources, route, target)

  const template = createTemplate(resources, code)
  const resolve = resolverFor(template)
  const lines: string[] = []
  const log = (line: string) => void lines.push(line)
  const pool = createFunctions({
    resources: template.resourcesOf('AWS::Lambda::Function'),
    resolve,
    assetFolder: template.assetFolder,
    environment: {},
    log: (functionId, line) => log(`${functionId} ${line}`),
  })
  const gateway = await startGateway({ template, resolve, invoke: pool.invoke, port: 0, log })
  onTestFinished(() => Promise.all([gateway.stop(), pool.stop()]).then(() => {}))

  const url = `http://127.0.0.1:${gateway.port}`
  const call = (path: string, init?: RequestInit) => fetch(url + path, init)
  return { url, port: gateway.port, lines, call, stop: gateway.stop }
}

/** Sends a GET with exactly these headers and returns the body. */
export function plainGet(url: string, headers: OutgoingHttpHeaders = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers, agent: false }, response => {
      response.toArray().then(parts => resolve(parts.join('')), reject)
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

/** The properties of a method with this function as integration. */
export function answeredBy(functionId: string, properties: Properties = {}): Properties {
  const arn = { 'Fn::GetAtt': [functionId, 'Arn'] }
  const Uri = { 'Fn::Join': ['', ['arn:aws:apigateway:eu-west-1:lambda:path/', arn, '/invocations']] }
  return { AuthorizationType: 'NONE', Integration: { Type: 'AWS_PROXY', Uri }, ...properties }
}

export function gatewayResponse(type: string, statusCode: number, code: string, headers: Properties = {}) {
  return {
    Type: 'AWS::ApiGateway::GatewayResponse',
    Properties: {
      RestApiId: { Ref: 'Api' },
      ResponseType: type,
      StatusCode: String(statusCode),
      ResponseParameters: { 'gatewayresponse.header.X-Request-Id': 'context.requestId', ...headers },
      ResponseTemplates: {
        'application/json': `{"success":false,"message":$context.error.messageString,"errors":{"code":"${code}"},"id":"$context.requestId"}`,
      },
    },
  }
}

function addMethod(resources: Resources, route: string, target: string | Properties) {
  const [httpMethod = '', path = ''] = route.split(' ')
  let parent: unknown = { 'Fn::GetAtt': ['Api', 'RootResourceId'] }
  let id = 'Path'
  for (const part of path.split('/').filter(Boolean)) {
    id += `/${part}`
    resources[id] = { Type: 'AWS::ApiGateway::Resource', Properties: { ParentId: parent, PathPart: part } }
    parent = { Ref: id }
  }
  const properties = typeof target === 'string' ? answeredBy(target) : target
  resources[route] = {
    Type: 'AWS::ApiGateway::Method',
    Properties: { HttpMethod: httpMethod, ResourceId: parent, ...properties },
  }
}
