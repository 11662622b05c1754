// Creates an empty table for one test file, in the database that all test files share.
import { inject } from 'vitest'
import { openTableAt, type TableWorld } from './table.ts'

export function newTable(): Promise<TableWorld> {
  return openTableAt(inject('dynamodb'))
}
