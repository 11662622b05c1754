// Handles one request as API Gateway does: route, authorizer, usage plan, integration, errors.
import * as z from 'zod/mini'
import { FunctionError, RequestTooLargeError } from '../lambda/function-errors.ts'
import type { Log } from '../log.ts'
import type { Template } from '../template/template.ts'
import { createAccessLog } from './access-log.ts'
import { type Answer, compressed } from './answer.ts'
import { createAuthorizers } from './authorizers.ts'
import { functionFinder, readApiResource } from './document.ts'
import { type Api, authorizerEvent, commonEvent, proxyEvent } from './event.ts'
import { contextVariables, type GatewayRequest } from './gateway-request.ts'
import { createGatewayResponses, GatewayFault } from './gateway-responses.ts'
import type { ContextVariables } from './mapping.ts'
import { answerOf } from './proxy-response.ts'
import type { MockResponse } from './rest-method.ts'
import { createRoutes } from './routes.ts'
import { createUsagePlans } from './usage-plans.ts'

export type RestApiOptions = {
  template: Template
  resolve: (value: unknown) => unknown
  invoke: (functionId: string, event: unknown) => Promise<unknown>
  /** Logs the cause of errors that the client sees only as an internal error. */
  log: Log
}

export type RestApi = {
  /** Never throws. An undefined body means that it was too large. */
  answer(request: GatewayRequest, body: Buffer | undefined): Promise<Answer>
}

/** The declared path of the request, as soon as it is known. */
type RouteInLog = { resource?: string }

export function createRestApi({ template, resolve, invoke, log }: RestApiOptions): RestApi {
  const { id, properties: settings } = readApiResource(template, resolve)
  const api = readStage(id, template, resolve)
  const document = settings.Body
  const isBinary = document['x-amazon-apigateway-binary-media-types'].length > 0
  const functionOf = functionFinder(template, resolve)
  const routes = createRoutes(document, functionOf)
  const authorizers = createAuthorizers({ document, functionOf, invoke, log })
  const usagePlans = createUsagePlans(template, resolve)
  const responses = createGatewayResponses(document)
  const logAccess = createAccessLog(template, log)

  async function perform(
    request: GatewayRequest,
    body: Buffer | undefined,
    route: RouteInLog,
  ): Promise<Answer> {
    if (body === undefined) throw new GatewayFault('REQUEST_TOO_LARGE')
    const match = routes.match(request.httpMethod, request.path)
    if (!match) throw new GatewayFault('MISSING_AUTHENTICATION_TOKEN')
    route.resource = match.resource
    const { authorizer, apiKeyRequired, integration } = match.method
    const event = commonEvent(request, match, api)

    const grant =
      authorizer === undefined
        ? undefined
        : await authorizers.authorize(authorizer, authorizerEvent(event, api), request.receivedAtMs)
    const keyValue = settings.ApiKeySourceType === 'AUTHORIZER' ? grant?.usageIdentifierKey : request.apiKey
    const apiKey = apiKeyRequired ? usagePlans.consume(keyValue, request.receivedAtMs) : undefined

    if (integration.type === 'MOCK') return mockAnswer(integration.response, contextVariables(request))
    const { functionId, timeoutMs } = integration
    const sent = { bytes: body, isBinary }
    return callFunction(functionId, timeoutMs, proxyEvent(event, sent, grant?.context, apiKey))
  }

  async function callFunction(functionId: string, timeoutMs: number, event: unknown): Promise<Answer> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new GatewayFault('INTEGRATION_TIMEOUT')), timeoutMs)
    try {
      return answerOf(await Promise.race([invoke(functionId, event), late.promise]))
    } catch (error) {
      if (error instanceof GatewayFault) throw error
      if (error instanceof RequestTooLargeError) throw new GatewayFault('REQUEST_TOO_LARGE')
      // A function's error is already in its own log.
      if (!(error instanceof FunctionError)) log(`${functionId}: ${describeError(error)}`, 'error')
      throw new GatewayFault('INTEGRATION_FAILURE')
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    async answer(request, body) {
      const route: RouteInLog = {}
      const answer = await perform(request, body, route).catch((error: unknown) => {
        if (!(error instanceof GatewayFault)) {
          log(`${request.httpMethod} ${request.path}: ${describeError(error)}`, 'error')
        }
        const fault = error instanceof GatewayFault ? error : new GatewayFault('DEFAULT_5XX')
        return responses.answer(fault, contextVariables(request))
      })
      answer.headers['x-amzn-RequestId'] = request.requestId
      logAccess(request, answer, route.resource)
      return compressed(answer, request.acceptEncoding, settings.MinimumCompressionSize)
    },
  }
}

function readStage(id: string, template: Template, resolve: (value: unknown) => unknown): Api {
  const [stage] = template.resourcesOf('AWS::ApiGateway::Stage')
  const variables = z.optional(z.record(z.string(), z.string())).parse(resolve(stage?.properties.Variables))
  const pseudo = (name: string) => String(resolve({ Ref: `AWS::${name}` }))
  return {
    id,
    stage: String(resolve(stage?.properties.StageName ?? 'local')),
    stageVariables: variables ?? null,
    region: pseudo('Region'),
    accountId: pseudo('AccountId'),
    partition: pseudo('Partition'),
  }
}

function mockAnswer({ statusCode, headers, body }: MockResponse, context: ContextVariables): Answer {
  return {
    statusCode,
    headers: Object.fromEntries([
      ['Content-Type', 'application/json'],
      ...headers.map(([name, value]) => [name, value(context)]),
    ]),
    body: Buffer.from(body),
  }
}

function describeError(error: unknown): string {
  if (error instanceof z.core.$ZodError) return `its answer is no proxy response:\n${z.prettifyError(error)}`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
