// `npm run test:releases -- COMMIT`: functions of that commit and of this checkout, under a writing load.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildAssembly } from '../world/assembly.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))
/** A load of some minutes, unless ACTS is set. */
const LONG = '60'

const [commit] = process.argv.slice(2)
if (!commit) {
  console.error('Name a commit or a tag: npm run test:releases -- v1.0.0')
  process.exit(2)
}

function git(...args: string[]): void {
  execFileSync('git', args, { cwd: project, stdio: ['ignore', 'ignore', 'inherit'] })
}

if (
  spawnSync('git', ['rev-parse', '--verify', '--quiet', `${commit}^{commit}`], { cwd: project }).status !== 0
) {
  console.error(`There is no commit or tag ${commit}. Name one of: git log --oneline`)
  process.exit(2)
}

const former = join(mkdtempSync(join(tmpdir(), 'former-release-')), 'checkout')
git('worktree', 'add', '--detach', former, commit)
try {
  symlinkSync(join(project, 'node_modules'), join(former, 'node_modules'))
  const assembly = await buildAssembly({ project: former, log: console.info })
  const { status } = spawnSync(
    process.execPath,
    [
      join(project, 'node_modules/vitest/vitest.mjs'),
      ...['run', '--config', 'test/vitest.programs.ts', 'test/releases/side-by-side.test.ts'],
    ],
    {
      cwd: project,
      stdio: 'inherit',
      env: { ACTS: LONG, ...process.env, OTHER_RELEASE: join(assembly, 'functions') },
    },
  )
  process.exitCode = status ?? 1
} finally {
  git('worktree', 'remove', '--force', former)
  rmSync(join(former, '..'), { recursive: true, force: true })
}
