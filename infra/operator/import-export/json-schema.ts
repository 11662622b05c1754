// The JSON Schema of a line of an export. It ships as export.schema.json; a test compares both.
import * as z from 'zod/mini'
import { End, ExportRecord, FORMAT_VERSION, Header } from './format.ts'

export function exportSchema(): Record<string, unknown> {
  const line = z.union([Header, ExportRecord, End])
  const json = z.toJSONSchema(line, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // A reader must ignore members that it does not know: a later version may have more.
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `One line of an export, version ${FORMAT_VERSION}`,
    ...JSON.parse(JSON.stringify(json)),
  }
}
