// Runs after all other tests: each permission of the template was needed by at least one of them.
import { describe, expect, it } from 'vitest'
import { readPermissions } from '../world/permissions.ts'

/** Permissions that no test through the gateway needs, each with the reason for it. */
const UNTESTED: Record<string, string> = {}

const { missing, unused } = readPermissions()

describe('the permissions of the template', () => {
  it.skipIf(missing.length > 0)('contain none that no test needed', () => {
    expect(unused, 'Remove these permissions from shared/service/, or add a test that needs them.').toEqual(
      Object.keys(UNTESTED).sort(),
    )
  })
})
