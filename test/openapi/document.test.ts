// The document as a generator of clients reads it: right by the rules, whole, and nothing left open.
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import { apiDocument } from '../../shared/openapi/document.ts'

const document = apiDocument('1.0.0')

describe('the document', () => {
  it('has no problem by the recommended rules of Redocly', async () => {
    const config = await createConfig({ extends: ['recommended'] })
    const source = JSON.stringify(document)
    const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config })
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
      [],
    )
  })

  it('says of every value what it is', () => {
    expect(openValues(JSON.parse(JSON.stringify(document)))).toEqual([])
  })
})

const SAYS = ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'const', 'enum']
const HOLDS_SCHEMA = new Set(['schema', 'items', 'additionalProperties'])
const HOLDS_SCHEMAS = new Set(['properties', 'schemas', 'anyOf', 'oneOf', 'allOf'])

/** Pointers to schemas that allow anything, which a generator turns into `any`. */
const openValues = (value: unknown, path: string[] = []): string[] => {
  if (typeof value !== 'object' || value === null) return []
  const [parent = '', name = ''] = path.slice(-2)
  const isSchema = HOLDS_SCHEMAS.has(parent) || HOLDS_SCHEMA.has(name)
  const isOpen = isSchema && !SAYS.some(key => key in value)
  const within = Object.entries(value).flatMap(([key, each]) => openValues(each, [...path, key]))
  return isOpen ? [path.join('/'), ...within] : within
}
