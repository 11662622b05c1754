// The log of the local run: its levels and its file.
import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { LEVELS, type Level, openLog } from '../../infra/local/log.ts'

async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'log-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

describe('openLog', () => {
  it.each<[Level, Level[]]>([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
  ])('with level %s writes the levels %j', async (level, expected) => {
    const file = join(await openFolder(), 'service.log')
    const log = openLog({ file, level })
    for (const level of LEVELS) log('a line', level)
    const lines = (await readFile(file, 'utf8')).trim().split('\n')
    expect(lines.map(line => line.replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z /, ''))).toEqual(
      expected.map(level => `${level} a line`),
    )
  })

  it('appends to the log file, which only this user can read', async () => {
    const file = join(await openFolder(), 'service.log')
    for (const line of ['of yesterday', 'of today']) openLog({ file, level: 'info' })(line)
    expect(await readFile(file, 'utf8')).toMatch(/ info of yesterday\n.* info of today\n$/)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it('drops lines that cannot be written, says so once, and goes on when they can', async () => {
    const folder = join(await openFolder(), 'logs')
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    onTestFinished(() => stderr.mockRestore())
    const file = join(folder, 'service.log')
    await mkdir(folder)
    const log = openLog({ file, level: 'info' })
    for (const round of ['first', 'second']) {
      await rm(folder, { recursive: true })
      for (const line of ['dropped', 'dropped too']) log(line)
      await mkdir(folder)
      log(`${round} line`)
      expect(await readFile(file, 'utf8')).toMatch(new RegExp(`^\\S+ info ${round} line\n$`))
    }
    const told = stderr.mock.calls.map(([text]) => String(text))
    const line = expect.stringMatching(/^Cannot write to .*service\.log \(ENOENT.*Free some space: .*\n$/)
    expect(told).toEqual([line, line])
  })
})
