// Runs the function of the smoke test against a service, some of whose functions may be spoilt.
import { createServer, request as send } from 'node:http'
import { inject, vi } from 'vitest'
import * as z from 'zod/mini'
import { handler } from '../../functions/smoke-test.ts'
import { listenHidden } from '../../infra/local/addresses.ts'
import { routeOf } from '../../infra/local/http/routes.ts'
import { failure } from '../../shared/http/envelope.ts'
import { readTemplate } from '../shape/synthesized.ts'
import { openWorld } from '../world/world.ts'
import type { CloudFormation } from './cloudformation.ts'

const Passed = z.looseObject({ Requests: z.array(z.looseObject({ Function: z.string() })) })

/** @param spoilt the names of functions that answer no request, as if they could not start. */
export async function openRelease(cloudFormation: CloudFormation, spoilt: string[] = []) {
  const world = await openWorld()
  const gateway = await openGateway(world.baseUrl, spoilt)
  const lines: string[] = []
  const [resource] = readTemplate(inject('assembly')).of('Custom::SmokeTest')
  if (!resource) throw new Error('The template has no smoke test.')

  return {
    lines,
    /** The properties of the resource, as CloudFormation passes them to the function. */
    properties: { ...Passed.parse(asTexts(resource.properties)), BaseUrl: gateway.endpoint },
    /** Calls the function with an event of CloudFormation, and collects its log. */
    run: async (event: unknown) => {
      vi.stubEnv('AWS_ENDPOINT_URL_CLOUDFORMATION', cloudFormation.url)
      vi.stubEnv('AWS_REGION', 'us-east-1')
      vi.stubEnv('AWS_ACCESS_KEY_ID', 'smoke-test')
      vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'x')
      const output = vi.spyOn(process.stdout, 'write').mockImplementation(text => {
        lines.push(String(text))
        return true
      })
      try {
        await handler(event)
      } finally {
        output.mockRestore()
        vi.unstubAllEnvs()
      }
    },
    async stop() {
      await gateway.stop()
      await world.stop()
    },
  }
}

/** Answers for the spoilt functions as API Gateway does, and passes all other requests on. */
function openGateway(baseUrl: string, spoilt: string[]) {
  const server = createServer((message, response) => {
    const { method = 'GET', url = '/', headers } = message
    if (spoilt.includes(routeOf(method, url).name)) {
      response.writeHead(503, { 'Content-Type': 'application/json' })
      return void response.end(JSON.stringify(failure('UNAVAILABLE', 'The service is busy.')))
    }
    const own = { ...headers, host: new URL(baseUrl).host }
    const passedOn = send(`${baseUrl}${url}`, { method, headers: own }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    message.pipe(passedOn)
  })
  return listenHidden(server)
}

/** CloudFormation passes every value as a text. The name of a resource is its logical id here. */
function asTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asTexts)
  if (typeof value !== 'object' || value === null) return String(value)
  if ('Ref' in value) return value.Ref
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asTexts(inner)]))
}
