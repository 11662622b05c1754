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
 * @param methods by `GET /path`: the id of the function that answers, or the operation of the document.
 * @param code the sources of the functions. @param responses by type, those of the gateway itself.
 */
export async function startWorld(options: {
  methods: Record<string, string | Properties>
  code?: Record<string, string>
  api?: Properties
  /** Other members of the API's document. */
  document?: Properties
  functions?: Properties
  resources?: Resources
  securitySchemes?: Properties
  responses?: Properties
}) {
  const {
    methods,
    code = { Echo: echo },
    api = {},
    document = {},
    functions: ofFunctions = {},
    resources: extraResources = {},
    securitySchemes = {},
    responses = {},
  } = options
  const Body = {
    paths: pathsOf(methods),
    components: { securitySchemes },
    'x-amazon-apigateway-gateway-responses': responses,
    ...document,
  }
  const resources: Resources = {
    Api: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'Api', Body, ...api } },
    Stage: { Type: 'AWS::ApiGateway::Stage', Properties: { RestApiId: { Ref: 'Api' }, StageName: 'v1' } },
    ...Object.fromEntries(Object.keys(code).map(id => [id, functionResource(id, ofFunctions)])),
    ...extraResources,
  }

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

/** The address at which the gateway invokes a function. */
export function invocationOf(functionId: string): string {
  return `arn:aws:apigateway:eu-west-1:lambda:path/functions/arn:aws:lambda:eu-west-1:000000000000:function:${functionId}/invocations`
}

/** An operation with this function as integration. */
export function answeredBy(functionId: string, integration: Properties = {}): Properties {
  const uri = invocationOf(functionId)
  return { 'x-amazon-apigateway-integration': { type: 'aws_proxy', uri, ...integration } }
}

export function gatewayResponse(type: string, statusCode: number, code: string, headers: Properties = {}) {
  return {
    [type]: {
      statusCode,
      responseParameters: { 'gatewayresponse.header.X-Request-Id': 'context.requestId', ...headers },
      responseTemplates: {
        'application/json': `{"success":false,"message":$context.error.messageString,"errors":{"code":"${code}"},"id":"$context.requestId"}`,
      },
    },
  }
}

function pathsOf(methods: Record<string, string | Properties>) {
  const paths: Record<string, Properties> = {}
  for (const [route, target] of Object.entries(methods)) {
    const [method = '', path = ''] = route.split(' ')
    const name = method === 'ANY' ? 'x-amazon-apigateway-any-method' : method.toLowerCase()
    paths[path] = { ...paths[path], [name]: typeof target === 'string' ? answeredBy(target) : target }
  }
  return paths
}
