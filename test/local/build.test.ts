// Building the stack: once for the same sources, whole or not at all, whoever else builds at the same time.
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { buildAssembly } from '../../infra/local/build.ts'

/** Writes a stack, and a line for each time that it was asked to. */
const app = `
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
mkdirSync(process.env.CDK_OUTDIR, { recursive: true })
writeFileSync(process.env.CDK_OUTDIR + '/Small.template.json', '{}')
appendFileSync('runs', 'x')`

let project = ''
beforeEach(async () => {
  vi.stubEnv('CLOUD_ASSEMBLY', '')
  project = await mkdtemp(join(tmpdir(), 'project-'))
  for (const folder of ['infra', 'shared', 'functions']) await mkdir(join(project, folder))
  await writeFile(join(project, 'infra', 'app.ts'), app)
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

describe('the build', () => {
  it('is made once while the sources stay the same', async () => {
    const first = await build()
    expect(await readdir(first)).toContain('Small.template.json')
    expect(await build()).toBe(first)
    expect(await runs()).toBe(1)
  })

  it('is made anew when a source has changed, and found again when it is changed back', async () => {
    await change('one')
    const first = await build()
    await change('two')
    expect(await build()).not.toBe(first)
    await change('one')
    expect(await build()).toBe(first)
    expect(await runs()).toBe(2)
  })

  it('is made by one of those who want it at the same time', async () => {
    const [first, ...others] = await Promise.all([build(), build(), build()])
    expect(new Set(others)).toEqual(new Set([first]))
    expect(await runs()).toBe(1)
  })

  it('that fails says why, and leaves nothing to be taken for a build', async () => {
    await writeFile(join(project, 'infra', 'app.ts'), `${app}\nthrow new Error('no such table')`)
    await expect(build()).rejects.toThrow('no such table')
    expect((await builds()).filter(name => !name.endsWith('.tmp'))).toEqual([])
  })

  it('goes when it is old and nobody uses it', async () => {
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

  it('is kept with the data of the run where the checkout cannot be written', async () => {
    const state = join(project, 'state')
    await writeFile(join(project, '.local'), 'in the way')
    const first = await buildAssembly({ log: () => {}, project, state })
    expect(first).toContain(join(state, 'build'))
    expect(await readdir(first)).toContain('Small.template.json')
    expect(await buildAssembly({ log: () => {}, project, state })).toBe(first)
    expect(await runs()).toBe(1)
  })

  it('is not made where CLOUD_ASSEMBLY names one', async () => {
    vi.stubEnv('CLOUD_ASSEMBLY', project)
    expect(await build()).toBe(project)
  })

  it('is refused in words where CLOUD_ASSEMBLY names none', async () => {
    vi.stubEnv('CLOUD_ASSEMBLY', '/nowhere')
    await expect(build()).rejects.toThrow('CLOUD_ASSEMBLY names /nowhere, which does not exist.')
  })
})
