// The state folder: one process at a time, nothing lost by a sudden end, private to its user.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { findDynamodb } from '../../infra/local/dynamodb/dynamodb-command.ts'
import { freePort } from '../../infra/local/free-port.ts'
import { commandLineOf } from '../../infra/local/processes.ts'
import { openSecrets } from '../../infra/local/secrets.ts'
import { openState, type State, StateInUseError, writeWhole } from '../../infra/local/state.ts'
import { unusableFolder } from '../../infra/local/unusable-folder.ts'
import { eventually } from './eventually.ts'

const stateFile = new URL('../../infra/local/state.ts', import.meta.url).href

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'state-'))
  return () => rm(folder, { recursive: true, force: true })
})

async function open(options?: { reset: boolean }): Promise<State> {
  const state = await openState(folder, options)
  onTestFinished(() => state.release())
  return state
}

/** Another process that holds the folder until it is killed. */
async function holdElsewhere() {
  const script = `
    const { openState } = await import(${JSON.stringify(stateFile)})
    globalThis.held = await openState(${JSON.stringify(folder)})
    process.stdout.write('held')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script])
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

/** A process that has nothing to do with the service. */
function stranger() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

const modeOf = async (file: string) => ((await stat(file)).mode & 0o777).toString(8)

describe('a folder that cannot keep the data', () => {
  it('is refused in words when it is a file, or lies below one', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    const below = join(file, 'state')
    await expect(openState(file)).rejects.toThrow(`${file} cannot keep the data: it is a file.`)
    await expect(openState(below)).rejects.toThrow(`${below} cannot keep the data: it lies below a file.`)
  })

  it.each([
    ['EACCES', 'this user may not write there'],
    ['EPERM', 'this user may not write there'],
    ['EROFS', 'it is on a read-only file system'],
    ['ENOENT', 'it is on a read-only file system'],
    ['ENOSPC', 'its disk is full'],
  ])('is refused in words on %s, with what to do', (code, why) => {
    const words = String(unusableFolder('/data', Object.assign(new Error(code), { code })))
    expect(words).toContain(why)
    expect(words).toContain('--state DIR')
    expect(words).not.toContain(code)
  })

  it('leaves other errors as they are', () => {
    const error = new Error('another')
    expect(unusableFolder('/data', error)).toBe(error)
  })
})

describe('the lock of a state folder', () => {
  it('refuses a second process, and says who holds it', async () => {
    const holder = await holdElsewhere()
    await expect(openState(folder)).rejects.toThrow(StateInUseError)
    await expect(openState(folder, { reset: true })).rejects.toThrow(`process ${holder.pid}`)
  })

  it('names the service and its database', async () => {
    const state = await open()
    await state.noteDatabase(4711)
    const lock = JSON.parse(await readFile(join(folder, 'lock'), 'utf8'))
    expect(lock).toEqual({ pid: process.pid, databasePid: 4711 })
  })

  it('is taken over from a process that was killed', async () => {
    const holder = await holdElsewhere()
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    await expect(open()).resolves.toMatchObject({ folder })
  })

  it('is free again after a release', async () => {
    await (await openState(folder)).release()
    await open()
    expect(await readdir(folder)).toContain('lock')
  })

  it('leaves a stranger alone that got the number of a process of the last run', async () => {
    const other = stranger()
    await writeWhole(join(folder, 'lock'), { pid: other.pid, databasePid: other.pid })
    await open()
    expect(await commandLineOf(other.pid ?? 0)).toContain('setInterval')
  })

  it('ends the database that the last run left behind', async () => {
    const file = join(folder, 'dynamodb.db')
    const found = findDynamodb()
    await mkdir(found.folderFor(file), { recursive: true })
    const left = spawn(found.command, found.args(await freePort(), file), { stdio: 'ignore' })
    onTestFinished(() => void left.kill('SIGKILL'))
    await eventually(async () => expect(await commandLineOf(left.pid ?? 0)).toContain(file))
    await writeWhole(join(folder, 'lock'), { pid: 1, databasePid: left.pid })
    await open()
    expect(await commandLineOf(left.pid ?? 0)).toBe('')
  })
})

describe('what a state folder keeps', () => {
  it('is written whole and for this user only', async () => {
    const { serviceFile } = await open()
    await writeFile(serviceFile, 'older and longer than what comes', { mode: 0o644 })
    await writeWhole(serviceFile, { pid: 1 })
    expect(JSON.parse(await readFile(serviceFile, 'utf8'))).toEqual({ pid: 1 })
    expect(await modeOf(serviceFile)).toBe('600')
    expect((await readdir(folder)).filter(name => name.endsWith('.tmp'))).toEqual([])
  })

  it('is closed to other users, also what an older version left open', async () => {
    const left = [
      'dynamodb.db',
      'dynamodb.db-wal',
      'queues/fauxqs.db',
      'mail/1.eml',
      'secrets.json',
      'lock.sqlite',
    ]
    const folders = [folder, join(folder, 'queues'), join(folder, 'mail')]
    for (const each of folders.slice(1)) await mkdir(each)
    for (const name of [...left, 'letter.txt']) await writeFile(join(folder, name), '')
    for (const name of [...left, 'letter.txt']) await chmod(join(folder, name), 0o644)
    for (const each of folders) await chmod(each, 0o755)
    await open()
    for (const name of left) expect([name, await modeOf(join(folder, name))]).toEqual([name, '600'])
    for (const each of folders) expect([each, await modeOf(each)]).toEqual([each, '700'])
    // It is not the service's.
    expect(await modeOf(join(folder, 'letter.txt'))).toBe('644')
  })

  it('is made for this user only', async () => {
    const inner = join(folder, 'of', 'mine')
    const state = await openState(inner)
    onTestFinished(() => state.release())
    expect(await modeOf(inner)).toBe('700')
  })

  it('has no service file until the service answers again', async () => {
    const first = await openState(folder)
    await writeWhole(first.serviceFile, { pid: 1 })
    await first.release()
    await open()
    expect(await readdir(folder)).not.toContain('service.json')
  })

  it('is gone after a reset, and what belongs to others is not', async () => {
    for (const name of ['queues', 'mail']) await mkdir(join(folder, name))
    for (const name of [
      'dynamodb.db',
      'dynamodb.db-wal',
      'secrets.json',
      'queues/fauxqs.db',
      'mail/1.eml',
      'letter.txt',
    ]) {
      await writeFile(join(folder, name), 'x')
    }
    await open({ reset: true })
    expect((await readdir(folder)).sort()).toEqual(['format.json', 'letter.txt', 'lock', 'lock.sqlite'])
  })
})

describe('secrets', () => {
  const secret = (id: string, properties = {}) => ({ id, type: 'AWS::SecretsManager::Secret', properties })

  it('are made once for each resource and stay', async () => {
    const { secretsFile } = await open()
    const first = await openSecrets(secretsFile, [secret('A')])
    await first.keepOwner({ ...first.owner, adminToken: 'token' })
    const second = await openSecrets(secretsFile, [secret('A'), secret('B')])
    expect(second.values.A).toBe(first.values.A)
    expect(second.values.B).not.toBe(first.values.A)
    expect(second.stackId).toBe(first.stackId)
    expect(second.owner).toEqual({ ...first.owner, adminToken: 'token' })
    expect(await modeOf(secretsFile)).toBe('600')
  })

  it('follow the rules of GenerateSecretString', async () => {
    const rules = { PasswordLength: 64, ExcludePunctuation: true, ExcludeCharacters: 'abc' }
    const member = { SecretStringTemplate: '{"user":"me"}', GenerateStringKey: 'key', ...rules }
    const { values } = await openSecrets(undefined, [
      secret('Plain', { GenerateSecretString: rules }),
      secret('Member', { GenerateSecretString: member }),
    ])
    expect(values.Plain).toMatch(/^[d-zA-Z0-9]{64}$/)
    expect(JSON.parse(values.Member ?? '')).toEqual({
      user: 'me',
      key: expect.stringMatching(/^[d-zA-Z0-9]{64}$/),
    })
  })
})
