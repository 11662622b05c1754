// Runs every command of every README, in its order, on a service that was started as README.md says.
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { use } from '../support/use.ts'
import { ELSEWHERE, runsElsewhere } from './elsewhere.ts'
import { blocksOf, commandsOf, READMES, type Readme, readmeAt } from './readmes.ts'
import { run, runScript, startSession, withoutNpm } from './session.ts'

const POWERSHELL = ['pwsh', 'powershell'].find(name => spawnSync(name, ['-Version']).status === 0)

/** The `sh` blocks, without the lines that run elsewhere. */
function sessionOf(readme: Readme): string[] {
  return blocksOf(readme, 'sh').flatMap(block => block.split('\n').filter(line => !runsElsewhere(line)))
}

describe('the commands of README.md', () => {
  it('start a service, read, write, subscribe, receive and publish', async () => {
    const { folder, state, port, printed, here, stop } = await startSession()
    onTestFinished(stop)
    expect(printed).toContain(`Ready: http://127.0.0.1:${port}\n`)

    const stdout = await runScript(folder, sessionOf(readmeAt('README.md')).map(here))

    expect(await readFile(join(state, 'received'), 'utf8')).toContain('"event":"post.published"')
    expect(stdout).toContain('"total_deliveries":1,"failed_deliveries":0')
    expect(stdout).toContain('"success":true')
  })
})

describe('the commands of a room’s README', () => {
  const session = use(startSession)
  const withSession = READMES.slice(1).filter(readme => sessionOf(readme).length > 0)

  it.each(withSession)('all succeed: $path', async readme => {
    const { folder, here } = session
    const commands = sessionOf(readme).map(command => here(withoutNpm(command)))
    await runScript(folder, commands)
  })
})

describe('the commands for PowerShell', () => {
  it.skipIf(POWERSHELL === undefined)(
    `publish a post and deliver it${POWERSHELL ? '' : ' (this machine has no PowerShell)'}`,
    async () => {
      const { here, stop } = await startSession()
      onTestFinished(stop)
      const [block = ''] = blocksOf(readmeAt('test/readme/README.md'), 'powershell')
      const script = `$ErrorActionPreference = 'Stop'\n${here(block)}\nStop-Process $RECEIVER`
      const { stdout } = await run(POWERSHELL ?? '', ['-NoProfile', '-Command', script], { timeout: 60_000 })
      expect(stdout).toContain('post.published')
      expect(stdout).toMatch(/total_deliveries +: 1/)
    },
    90_000,
  )
})

describe('the list of commands that run elsewhere', () => {
  it('names only commands that a README has', () => {
    const commands = new Set(READMES.flatMap(commandsOf))
    expect(Object.keys(ELSEWHERE).filter(command => !commands.has(command))).toEqual([])
  })
})
