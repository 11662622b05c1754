// The state folder: which are usable, atomic writes, and private files.
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openState, writeJsonAtomically } from '../../infra/local/state.ts'
import { newFolder } from '../support/folder.ts'

let folder = ''
beforeEach(async () => {
  folder = await newFolder()
})
/** Until the test ends. */
async function open(options?: { reset: boolean }) {
  const state = await openState(folder, options)
  onTestFinished(() => state.release())
  return state
}
async function modeOf(file: string) {
  return ((await stat(file)).mode & 0o777).toString(8)
}

describe('openState', () => {
  it('rejects a path that is a file or contains one, with the reason', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    const below = join(file, 'state')
    await expect(openState(file)).rejects.toThrow(`Cannot keep the data in ${file} (EEXIST: `)
    await expect(openState(below)).rejects.toThrow(
      `Cannot keep the data in ${below} (ENOTDIR: not a directory, mkdir '${below}'). Use another folder: --state DIR.`,
    )
  })

  it.runIf(process.platform === 'linux')('rejects a folder that the system does not create', async () => {
    await expect(openState('/proc/a/state')).rejects.toThrow(
      'Cannot keep the data in /proc/a/state (ENOENT: ',
    )
  })
})

describe('writeJsonAtomically', () => {
  it('leaves no draft behind when it fails', async () => {
    const file = join(folder, 'a', 'b.json')
    await mkdir(file, { recursive: true })
    await expect(writeJsonAtomically(file, {})).rejects.toThrow()
    expect(await readdir(join(folder, 'a'))).toEqual(['b.json'])
  })
})

describe('the state folder', () => {
  it('writes files atomically and for this user only', async () => {
    const { serviceFile } = await open()
    await writeFile(serviceFile, 'older and longer than the new content', { mode: 0o644 })
    await writeJsonAtomically(serviceFile, { pid: 1 })
    expect(JSON.parse(await readFile(serviceFile, 'utf8'))).toEqual({ pid: 1 })
    expect(await modeOf(serviceFile)).toBe('600')
    expect((await readdir(folder)).filter(name => name.endsWith('.tmp'))).toEqual([])
  })

  it('is closed to other users if it was open to them', async () => {
    await chmod(folder, 0o755)
    await open()
    expect(await modeOf(folder)).toBe('700')
  })

  it('renames the service file when the service ends', async () => {
    const first = await openState(folder)
    await writeJsonAtomically(first.serviceFile, { pid: 1 })
    await first.release()
    expect(await readdir(folder)).not.toContain('service.json')
  })

  it('removes the service file of a killed service at the next start', async () => {
    await writeFile(join(folder, 'service.json'), '{"pid":1}')
    await open()
    expect(await readdir(folder)).not.toContain('service.json')
  })

  it('rejects a state of another format, which a reset removes', async () => {
    await (await openState(folder)).release()
    for (const written of [
      { format: 1_000, version: '9.1.0' },
      { format: 2, version: '1.0.0' },
    ]) {
      await writeFile(join(folder, 'format.json'), JSON.stringify(written))
      await expect(openState(folder)).rejects.toThrow(`was written by version ${written.version} of this`)
    }
    await (await openState(folder, { reset: true })).release()
    await (await openState(folder)).release()
  })

  it('loses its data by a reset, but no other files', async () => {
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
    expect((await readdir(folder)).sort()).toEqual(['format.json', 'letter.txt', 'lock.sqlite'])
  })
})
