// After all others, and judged only when all of them ran: each permission of the template was needed by some test.
import { describe, expect, it } from 'vitest'
import { readPermissions } from '../world/permissions.ts'

/** Permissions that no test through the gateway needs, each with the reason why the function has it all the same. */
const UNTESTED: Record<string, string> = {}

const { missing, unused } = readPermissions()

describe('the permissions of the template', () => {
  it.skipIf(missing.length > 0)('were each needed by a test', () => {
    expect(unused, 'Take them out of shared/service/, or test what needs them.').toEqual(
      Object.keys(UNTESTED).sort(),
    )
  })
})
