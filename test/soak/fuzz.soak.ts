// Ten thousand requests that schemathesis generates from the OpenAPI document, on a new service.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const fuzz = fileURLToPath(new URL('../fuzz/fuzz.ts', import.meta.url))

describe('the API', () => {
  it('answers 10,000 generated requests as the document says', async () => {
    const [status] = await once(spawn(process.execPath, [fuzz], { stdio: 'inherit' }), 'exit')
    expect(status, 'See the output of schemathesis above.').toBe(0)
  })
})
