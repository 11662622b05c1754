// Checks that the measurement of a full outbox runs, on a small one.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

describe('npm run bench:outbox', () => {
  it('empties an outbox in one sweep, and counts its calls', async () => {
    const file = fileURLToPath(new URL('outbox.ts', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, [file, '600'])
    expect(stdout).toContain('The outbox has 600 rows')
    expect(stdout).toContain('  1 sweeps of ')
    const [, callsOfRow] = /calls, ([\d.]+) a row/.exec(stdout) ?? []
    expect(Number(callsOfRow)).toBeGreaterThan(0)
    expect(Number(callsOfRow)).toBeLessThan(0.6)
  })
})
