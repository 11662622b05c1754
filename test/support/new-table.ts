// Creates an empty table for one test file, in the database that all test files share.
import { inject } from 'vitest'
import { openTableAt, type TableWorld } from './table.ts'
import { use } from './use.ts'

/** An empty table for all tests of a file. */
export function useTable(): TableWorld {
  return use(newTable)
}

export function newTable(): Promise<TableWorld> {
  return openTableAt(inject('dynamodb'))
}
