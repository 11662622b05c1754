// Ten thousand requests that schemathesis makes of the document, on a fresh service.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const fuzz = fileURLToPath(new URL('../fuzz/fuzz.ts', import.meta.url))

describe('the API by its document', () => {
  it('answers 10,000 generated requests as the document says', async () => {
    const [status] = await once(spawn(process.execPath, [fuzz], { stdio: 'inherit' }), 'exit')
    expect(status, 'What schemathesis found stands above.').toBe(0)
  })
})
