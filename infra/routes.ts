// The paths of the API's document: each endpoint leads to its function, all else to `public`.
import { tierOf } from '../shared/http/audience.ts'
import { API_FUNCTIONS, DOCUMENT, OTHERS } from '../shared/service/api.ts'
import { invocationOf } from './functions.ts'
import { preflightHeaders } from './gateway-responses.ts'
import { ALIAS } from './names.ts'
import { API_KEY, authorizerOf } from './tiers.ts'

type Operation = Record<string, unknown>
export type Paths = Record<string, Record<string, Operation>>

/** API Gateway falls back to these, so they alone answer every preflight and every 404. */
const CATCH_ALL = ['/', '/{proxy+}']
const ANY = 'x-amazon-apigateway-any-method'

export function pathsOf(v2ShippedOn: number | undefined): Paths {
  const paths: Paths = {}
  const add = (path: string, method: string, operation: Operation): void => {
    paths[path] = { ...paths[path], [method]: operation }
  }
  const route = (name: string, method: string, path: string) => {
    add(path, method.toLowerCase(), answeredBy(name, path))
    if (method === 'GET') add(path, 'head', answeredBy(name, path))
  }
  for (const [name, { endpoints }] of Object.entries(API_FUNCTIONS)) {
    for (const { method, path } of Object.values(endpoints)) route(name, method, path)
  }
  route(DOCUMENT.name, 'GET', DOCUMENT.path)
  for (const path of CATCH_ALL) {
    add(path, ANY, answeredBy(OTHERS, path))
    add(path, 'options', preflight(path, preflightHeaders(v2ShippedOn)))
  }
  return paths
}

function answeredBy(name: string, path: string): Operation {
  return {
    ...parametersIn(path),
    // The authorizer sends the key of the tier's usage plan; clients have none.
    security: [{ [authorizerOf(tierOf(path))]: [] }, { [API_KEY]: [] }],
    responses: {},
    'x-amazon-apigateway-integration': {
      type: 'aws_proxy',
      httpMethod: 'POST',
      uri: invocationOf(name, ALIAS),
    },
  }
}

function parametersIn(path: string): Operation {
  const names = [...path.matchAll(/\{(\w+)\+?\}/g)].map(([, name]) => name)
  const parameters = names.map(name => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
  return parameters.length > 0 ? { parameters } : {}
}

function preflight(path: string, headers: Record<string, string>): Operation {
  const names = Object.keys(headers)
  return {
    ...parametersIn(path),
    responses: {
      204: {
        description: 'Preflight',
        headers: Object.fromEntries(names.map(name => [name, { schema: { type: 'string' } }])),
      },
    },
    'x-amazon-apigateway-integration': {
      type: 'mock',
      // Without it, a mock fails with 500 where the media types of the API are binary.
      contentHandling: 'CONVERT_TO_TEXT',
      passthroughBehavior: 'when_no_templates',
      requestTemplates: { 'application/json': '{"statusCode":204}' },
      responses: {
        default: {
          statusCode: '204',
          responseParameters: Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [`method.response.header.${name}`, value]),
          ),
        },
      },
    },
  }
}
