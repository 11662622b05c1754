// Runs after all other tests of `npm test`: at least one of them has used each permission of the template.
import { describe, expect, it } from 'vitest'
import { readPermissions } from '../support/permissions.ts'

const { missing, unused } = readPermissions()

describe('the permissions of the template', () => {
  it.skipIf(missing.length > 0)('are all used by tests', () => {
    expect(unused, 'Remove these permissions from shared/service/, or add a test that uses them.').toEqual([])
  })
})
