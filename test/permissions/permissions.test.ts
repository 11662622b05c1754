// Runs after all other tests of `npm test`: at least one of them has used each permission of the template.
import { describe, expect, it } from 'vitest'
import { readPermissions } from '../world/permissions.ts'

/** Permissions that no test uses, each with a reason. */
const UNTESTED: Record<string, string> = {
  'index-search: send to index':
    'a run that lacks time continues by a message; no index of a test is so large',
}

const { missing, unused } = readPermissions()

describe('the permissions of the template', () => {
  it.skipIf(missing.length > 0)('are all used by tests', () => {
    expect(unused, 'Remove these permissions from shared/service/, or add a test that uses them.').toEqual(
      Object.keys(UNTESTED).sort(),
    )
  })
})
