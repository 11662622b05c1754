// Descriptions of parameters stand beside their schemas.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { EmptyData, type Endpoint, endpoint } from '../../shared/http/endpoint.ts'
import { members } from '../../shared/http/members.ts'
import { perPage } from '../../shared/http/parameters.ts'
import { operationOf } from '../../shared/openapi/operation.ts'
import { openSchemas } from '../../shared/openapi/schemas.ts'

const items = {
  method: 'GET',
  path: '/api/v1/items',
  summary: 'List items',
  message: 'Items.',
  data: EmptyData,
} as const

function parametersOf(list: Endpoint) {
  const operation = operationOf(
    { operationId: 'listItems', tag: 'items', endpoint: list },
    { schemas: openSchemas(), responses: {} },
  )
  return z
    .array(z.object({ name: z.optional(z.string()), description: z.optional(z.string()) }))
    .parse(operation.parameters)
    .flatMap(({ name, description }) => (name ? [[name, description]] : []))
}

describe('parameters', () => {
  it('have the texts of their members, with the bounds of this list', () => {
    const query = members({ ...perPage(20, 50), color: [z.optional(z.string()), 'A color.'] })
    expect(parametersOf(endpoint({ ...items, query }))).toEqual([
      ['per_page', 'Items per page, 20 by default. More than 50 counts as 50.'],
      ['color', 'A color.'],
    ])
  })

  it('without a text are an error that names them', () => {
    const query = z.object({ color: z.optional(z.string()) })
    expect(() => parametersOf(endpoint({ ...items, query }))).toThrow(
      'The parameter color of /api/v1/items has no text.',
    )
  })
})
