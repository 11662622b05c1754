// The launcher of every npm script chooses a Node and passes arguments, input and signals on.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import project from '../../package.json' with { type: 'json' }
import { newFolder } from '../support/folder.ts'
import { processesWith } from '../support/processes.ts'
import { eventually } from './eventually.ts'

const launcher = fileURLToPath(new URL('../../infra/launch.cjs', import.meta.url))

/** Makes Node look like an old version. */
const OLD = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } });`
const UNKNOWN_PLATFORM = `Object.defineProperty(process, 'platform', { value: 'sunos' });`
const REPORT = `console.log(JSON.stringify({ node: process.versions.node, pid: process.pid, argv: process.argv.slice(1) }))`
const WAITS = `${REPORT}; setInterval(() => {}, 1000)`

let folder = ''
beforeEach(async () => {
  folder = await newFolder()
})

async function writeFiles(pretence: string, program: string) {
  const [preload, file] = [join(folder, 'preload.cjs'), join(folder, 'program.mjs')]
  await Promise.all([writeFile(preload, pretence), writeFile(file, program)])
  return { preload, file }
}

/** Runs `program` through the launcher. The launcher's Node first runs `pretence`. */
async function launch(pretence: string, program: string, ...args: string[]) {
  const { preload, file } = await writeFiles(pretence, program)
  const child = spawn(process.execPath, ['-r', preload, launcher, file, ...args])
  onTestFinished(() => void child.kill('SIGKILL'))
  const run = { child, file, out: '', err: '', ended: once(child, 'close') }
  child.stdout.on('data', text => {
    run.out += text
  })
  child.stderr.on('data', text => {
    run.err += text
  })
  return run
}

async function end(run: Awaited<ReturnType<typeof launch>>) {
  const [code] = await run.ended
  return { ...run, code }
}

describe('a program started with a new Node', () => {
  it('runs in the same process with its arguments', async () => {
    const { child, file, out } = await end(await launch('', REPORT, '--port', '0'))
    expect(JSON.parse(out)).toEqual({
      node: process.versions.node,
      pid: child.pid,
      argv: [file, '--port', '0'],
    })
  })
})

describe('a program started with an old Node', () => {
  it('runs with the Node that npm installed and with its arguments', async () => {
    const { child, file, out } = await end(await launch(OLD, REPORT, '--port', '0'))
    const report = JSON.parse(out)
    expect(Number.parseInt(report.node, 10)).toBeGreaterThanOrEqual(24)
    expect(report.pid).not.toBe(child.pid)
    expect(report.argv).toEqual([file, '--port', '0'])
  })

  it('finds the same Node when it runs `node`', async () => {
    const program = `import { execFileSync } from 'node:child_process'
      const found = execFileSync('node', ['-p', 'process.execPath'], { encoding: 'utf8' }).trim()
      console.log(found === process.execPath)`
    expect((await end(await launch(OLD, program))).out).toBe('true\n')
  })

  it('determines the exit code of the launcher', async () => {
    expect((await end(await launch(OLD, 'process.exit(3)'))).code).toBe(3)
  })

  it('reads from stdin', async () => {
    const run = await launch(OLD, 'process.stdin.pipe(process.stdout)')
    run.child.stdin.end('secret\n')
    expect((await end(run)).out).toBe('secret\n')
  })

  it.each<NodeJS.Signals>(['SIGINT', 'SIGTERM', 'SIGHUP'])('receives a %s', async signal => {
    const run = await launch(OLD, `process.on('${signal}', () => process.exit(9)); ${WAITS}`)
    await eventually(() => expect(run.out).toContain('pid'))
    run.child.kill(signal)
    expect((await end(run)).code).toBe(9)
  })

  it('exits with 128 plus the number of the signal that ended it', async () => {
    const run = await launch(OLD, WAITS)
    await eventually(() => expect(run.out).toContain('pid'))
    run.child.kill('SIGTERM')
    expect((await end(run)).code).toBe(128 + 15)
  })

  it('ends if its launcher is killed', async () => {
    const run = await launch(OLD, WAITS)
    await eventually(() => expect(run.out).toContain('pid'))
    run.child.kill('SIGKILL')
    await eventually(() => expect(processesWith(folder)).toEqual([]))
  })

  it('gets an error with advice if npm has no Node for the platform', async () => {
    const { code, err } = await end(await launch(OLD + UNKNOWN_PLATFORM, REPORT))
    expect(code).toBe(1)
    expect(err).toContain('needs Node 24 or newer, and this is Node 20.1.0')
    expect(err).toContain('https://nodejs.org')
  })
})

describe('a program that npm has started', () => {
  it.each([
    ['a new', ''],
    ['an old', OLD],
  ])('ends on a signal that ends only the shell between both, with %s Node', async (_, pretence) => {
    const { preload, file } = await writeFiles(pretence, WAITS)
    const command = `"${process.execPath}" -r "${preload}" "${launcher}" "${file}"; true`
    const shell = spawn('sh', ['-c', command], { env: { ...process.env, npm_lifecycle_event: 'start' } })
    await once(shell.stdout, 'data')
    shell.kill('SIGTERM')
    await eventually(() => expect(processesWith(folder)).toEqual([]))
  })
})

describe('the scripts of package.json', () => {
  it('run through the launcher or npm', () => {
    const others = Object.values(project.scripts).filter(
      script => !/^(node infra\/launch\.cjs|npm (run|install)) /.test(script),
    )
    expect(others).toEqual([])
  })
})
