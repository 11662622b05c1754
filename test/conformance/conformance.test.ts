// The suite holds against the local service, cleans up after itself, and explains what is wrong.
import { describe, expect, inject, it } from 'vitest'
import { useWorld } from '../world/world.ts'
import { main, type Surroundings } from './main.ts'

const world = useWorld()

async function run(args: string[], env: Surroundings['env'] = {}) {
  const lines: string[] = []
  const print = (line: string) => lines.push(line)
  const code = await main(args, { env, out: print, err: print, onInterrupt: () => {} })
  return { code, text: lines.join('\n') }
}

function options() {
  const { baseUrl, admin, owner } = world
  return [baseUrl, '--admin-token', admin, '--email', owner.email, '--limits-raised']
}

describe('npm run conformance', () => {
  it('finds that the local service holds every sentence of the contract', async () => {
    const { code, text } = await run(options(), { PASSWORD: inject('password').text })
    console.log(text)
    expect(code).toBe(0)
  })
})
