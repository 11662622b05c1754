// Creates an empty table for one test file, in the database that all test files share.
import { inject } from 'vitest'
import type { ListSizes } from '../../shared/table/client.ts'
import { openTableAt, type TableWorld } from './table.ts'
import { use } from './use.ts'

/** An empty table for all tests of a file. */
export function useTable(listSizes?: ListSizes): TableWorld {
  return use(() => newTable(listSizes))
}

export function newTable(listSizes?: ListSizes): Promise<TableWorld> {
  return openTableAt(inject('dynamodb'), listSizes)
}
