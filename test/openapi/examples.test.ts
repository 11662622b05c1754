// The examples of the document: each is valid, and its call gets an answer with the same members.
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { type Endpoint, namesIn } from '../../shared/http/endpoint.ts'
import { apiDocument } from '../../shared/openapi/document.ts'
import { faultBy } from '../support/document.ts'
import { ENDPOINTS } from '../support/endpoints.ts'
import { useWorld } from '../support/world.ts'
import { nameOf, openExamples } from './send-example.ts'

const ALL = ENDPOINTS.map(({ endpoint }) => ({ name: nameOf(endpoint), endpoint }))

const Content = z.object({
  content: z.object({ 'application/json': z.object({ schema: z.unknown(), example: z.unknown() }) }),
})
const Operation = z.object({
  requestBody: z.optional(Content),
  responses: z.record(z.string(), z.unknown()),
})
const document = apiDocument('1.0.0')

/** The examples and schemas of an endpoint in the document. */
function documented({ method, path, status }: Endpoint) {
  const { requestBody, responses } = Operation.parse(document.paths[path]?.[method.toLowerCase()])
  const answer = Content.parse(responses[status]).content['application/json']
  return { body: requestBody?.content['application/json'], answer }
}

/** Checks an example against the components of the tests, which allow no unknown members. */
function faultIn({ schema, example }: { schema: unknown; example: unknown }): string | undefined {
  const text = JSON.stringify(schema).replaceAll('"#/components/schemas/', '"/')
  return faultBy(JSON.parse(text), example, 'example')
}

/** The paths of all members, with those of a list for each item. */
function pathsOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [path]
  const step = (name: string) => (Array.isArray(value) ? `${path}[]` : `${path}.${name}`)
  return [path, ...Object.entries(value).flatMap(([name, member]) => pathsOf(member, step(name)))]
}

function membersOf(data: unknown): string[] {
  return [...new Set(pathsOf(data))].sort()
}

const world = useWorld()
let examples: ReturnType<typeof openExamples>
beforeAll(() => {
  examples = openExamples(world)
})

describe('the examples', () => {
  it('exist for every request body, every success and every parameter of a path', () => {
    const missing = ALL.filter(({ endpoint }) => {
      const { body, answer } = documented(endpoint)
      const isShown = (name: string) => endpoint.example.params?.[name] !== undefined
      const isComplete = namesIn(endpoint.params).every(isShown) && answer.example !== undefined
      return !isComplete || (body && body.example === undefined)
    })
    expect(missing.map(({ name }) => name)).toEqual([])
  })

  it('have exceptions only for endpoints that exist', () => {
    const names = new Set(ALL.map(({ name }) => name))
    expect(examples.exceptions.filter(name => !names.has(name))).toEqual([])
  })
})

describe.each(ALL)('$name', ({ endpoint }) => {
  const { example } = endpoint

  it('has examples that fit its schemas', () => {
    const { body, answer } = documented(endpoint)
    expect([body && faultIn(body), faultIn(answer)]).toEqual([undefined, undefined])
    expect(endpoint.body?.safeParse(example.body).error?.issues ?? []).toEqual([])
    expect(endpoint.data.parse(example.data)).toEqual(example.data)
  })

  it('answers the call of its example with the members of the example', async () => {
    const answer = await examples.send(endpoint)
    expect([answer.status, answer.text]).toEqual([endpoint.status, expect.any(String)])
    expect(membersOf(answer.data)).toEqual(membersOf(example.data))
  })
})
