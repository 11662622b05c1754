// The build of the stack: once for the same sources, atomic, and safe with concurrent processes.
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { buildAssembly } from '../world/assembly.ts'

/** Writes a stack, and counts its runs in a file. */
const APP = `
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
mkdirSync(process.env.CDK_OUTDIR, { recursive: true })
writeFileSync(process.env.CDK_OUTDIR + '/Small.template.json', '{}')
appendFileSync('runs', 'x')`

let project = ''
beforeEach(async () => {
  vi.stubEnv('CLOUD_ASSEMBLY', '')
  project = await mkdtemp(join(tmpdir(), 'project-'))
  for (const folder of ['infra', 'shared', 'functions']) await mkdir(join(project, folder))
  await writeFile(join(project, 'infra', 'app.ts'), APP)
  return async () => {
    vi.unstubAllEnvs()
    await rm(project, { recursive: true, force: true })
  }
})

function build() {
  return buildAssembly({ log: () => {}, project })
}

function change(text: string) {
  return writeFile(join(project, 'shared', 'rule.ts'), text)
}

async function runs() {
  return (await readFile(join(project, 'runs'), 'utf8')).length
}

async function builds() {
  return (await readdir(join(project, '.local', 'build'))).filter(name => name !== 'lock.sqlite')
}

describe('buildAssembly', () => {
  it('builds once while the sources stay the same', async () => {
    const first = await build()
    expect(await readdir(first)).toContain('Small.template.json')
    expect(await build()).toBe(first)
    expect(await runs()).toBe(1)
  })

  it('builds again after a change of a source and reuses the old build after a revert', async () => {
    await change('one')
    const first = await build()
    await change('two')
    expect(await build()).not.toBe(first)
    await change('one')
    expect(await build()).toBe(first)
    expect(await runs()).toBe(2)
  })

  it('builds once for concurrent callers', async () => {
    const [first, ...others] = await Promise.all([build(), build(), build()])
    expect(new Set(others)).toEqual(new Set([first]))
    expect(await runs()).toBe(1)
  })

  it('reports why a build fails and leaves no incomplete build', async () => {
    await writeFile(join(project, 'infra', 'app.ts'), `${APP}\nthrow new Error('no such table')`)
    await expect(build()).rejects.toThrow('no such table')
    expect((await builds()).filter(name => !name.endsWith('.tmp'))).toEqual([])
  })

  it('removes old builds that no process uses', async () => {
    await change('one')
    const [used, unused] = [await build(), join(project, '.local', 'build', 'unused')]
    await mkdir(unused)
    const longAgo = new Date(Date.now() - 3_600_000)
    for (const folder of [used, unused]) await utimes(folder, longAgo, longAgo)
    await change('two')
    const latest = await build()
    expect((await builds()).map(name => join(project, '.local', 'build', name)).sort()).toEqual(
      [used, latest].sort(),
    )
  })

  it('builds in the state folder if the checkout is not writable', async () => {
    const state = join(project, 'state')
    await writeFile(join(project, '.local'), 'in the way')
    const first = await buildAssembly({ log: () => {}, project, state })
    expect(first).toContain(join(state, 'build'))
    expect(await readdir(first)).toContain('Small.template.json')
    expect(await buildAssembly({ log: () => {}, project, state })).toBe(first)
    expect(await runs()).toBe(1)
  })

  it('returns the folder in CLOUD_ASSEMBLY', async () => {
    vi.stubEnv('CLOUD_ASSEMBLY', project)
    expect(await build()).toBe(project)
  })

  it('rejects a CLOUD_ASSEMBLY that does not exist', async () => {
    vi.stubEnv('CLOUD_ASSEMBLY', '/nowhere')
    await expect(build()).rejects.toThrow('CLOUD_ASSEMBLY is /nowhere, which does not exist.')
  })
})
