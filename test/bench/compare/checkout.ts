// Clean checkouts under `.local/bench`, so that a start in one of them is that of a fresh clone.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url))
export const BENCH_FOLDER = join(PROJECT, '.local/bench')

/** `sources`: a name of what the service is made of; with the same one, a cached site is used again. */
export type Checkout = { folder: string; sources: string }

/** The checkout of a commit, or of the files here with what is not committed yet. */
export function checkOut(commit?: string): Checkout {
  const temporary = mkdtempSync(join(tmpdir(), 'bench-'))
  const env = { ...process.env, GIT_INDEX_FILE: join(temporary, 'index') }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: PROJECT, env, encoding: 'utf8' }).trim()
  try {
    git(...(commit === undefined ? ['add', '--all'] : ['read-tree', commit]))
    const tree = git('write-tree')
    const folder = join(BENCH_FOLDER, 'checkouts', tree.slice(0, 12))
    if (!existsSync(folder)) {
      rmSync(`${folder}+`, { recursive: true, force: true })
      git('checkout-index', '--all', `--prefix=${folder}+/`)
      addPackages(`${folder}+`)
      renameSync(`${folder}+`, folder)
    }
    const parts = ['functions', 'infra', 'shared'].map(room =>
      git('rev-parse', `${tree}:${room}`).slice(0, 6),
    )
    return { folder, sources: parts.join('') }
  } finally {
    rmSync(temporary, { recursive: true })
  }
}

/** Those of this checkout, if the other one needs the same. */
function addPackages(folder: string): void {
  const lockOf = (checkout: string) => readFileSync(join(checkout, 'package-lock.json'), 'utf8')
  if (lockOf(folder) === lockOf(PROJECT)) {
    symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'))
  } else {
    execFileSync('npm', ['ci'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  }
}
