// Descriptions of parameters: common ones follow from the path and the schema, others are given by the group.
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { endpoint, group, Id, pageQuery } from '../../shared/http/endpoint.ts'
import { guideOf } from '../../shared/http/guide.ts'
import { operationOf } from '../../shared/openapi/operation.ts'
import { openSchemas } from '../../shared/openapi/schemas.ts'

describe('parameters', () => {
  const items = group(() => ({
    listParts: endpoint({
      method: 'GET',
      path: '/api/v1/categories/{slug}/items/{id}/parts',
      summary: 'List the parts of an item',
      message: 'Parts.',
      params: z.object({ slug: z.string(), id: Id }),
      query: z.extend(pageQuery(20, 50), { color: z.optional(z.string()) }),
      data: z.array(z.object({ name: z.string() })),
    }),
  }))
  const guides = { listParts: { params: { slug: 'news', id: 1 }, data: [] } }

  function parametersWith(texts: { color: string; id?: string }) {
    const [guide] = guideOf(items, guides, texts)
    if (!guide) throw new Error('There is no guide.')
    const operation = operationOf(
      { operationId: 'listParts', tag: 'items', guide },
      { schemas: openSchemas(), responses: {} },
    )
    return z
      .array(z.object({ name: z.optional(z.string()), description: z.optional(z.string()) }))
      .parse(operation.parameters)
      .flatMap(({ name, description }) => (name ? [[name, description]] : []))
  }

  it('have descriptions that follow from the path and the schema, if many endpoints have them', () => {
    expect(parametersWith({ color: 'A color.' })).toEqual([
      ['slug', 'Slug of the category, percent-encoded.'],
      ['id', 'Id of the item.'],
      ['page', 'Page number, from 1. A page after the last one is empty.'],
      ['per_page', 'Items per page, 20 by default. More than 50 counts as 50.'],
      ['color', 'A color.'],
    ])
  })

  it('prefer the descriptions of their group to common ones', () => {
    expect(parametersWith({ color: 'A color.', id: 'Number of the item.' })).toContainEqual([
      'id',
      'Number of the item.',
    ])
  })

  it('do not compile with a missing or an unknown text', () => {
    // @ts-expect-error: the color has no description.
    guideOf(items, guides)
    // @ts-expect-error: there is no size.
    guideOf(items, guides, { color: 'A color.', size: 'A size.' })
  })
})
