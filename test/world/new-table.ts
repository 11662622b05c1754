// An empty table for one test file, in the database that all test files share.
import { inject } from 'vitest'
import { openTableAt, type TableWorld } from './table.ts'

export const newTable = (): Promise<TableWorld> => openTableAt(inject('dynamodb'))
