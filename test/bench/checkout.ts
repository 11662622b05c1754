// What the benchmark needs of a checkout, which may be of another commit: only these modules, in the form
// that they have here.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

type Modules = typeof import('../world/assembly.ts') &
  typeof import('../../infra/local/run-stack.ts') &
  typeof import('../../infra/local/seed.ts') &
  typeof import('../../infra/local/state.ts') &
  typeof import('../../shared/events/message.ts') &
  typeof import('./cached-site.ts') &
  typeof import('./fingerprint.ts') &
  typeof import('./site.ts')

const MODULES = [
  'infra/local/build.ts',
  'infra/local/run-stack.ts',
  'infra/local/seed.ts',
  'infra/local/state.ts',
  'shared/events/message.ts',
  'test/bench/cached-site.ts',
  'test/bench/fingerprint.ts',
  'test/bench/site.ts',
]

export const OWN_CHECKOUT = fileURLToPath(new URL('../..', import.meta.url))

export async function modulesOf(checkout: string): Promise<Modules> {
  const loaded = MODULES.map(file => import(pathToFileURL(join(checkout, file)).href))
  return Object.assign({}, ...(await Promise.all(loaded)))
}

/** This checkout alone, or after the one that it is compared with. */
export function checkoutsOf(compared: string | undefined): { name: string; folder: string }[] {
  if (compared === undefined) return [{ name: 'now', folder: OWN_CHECKOUT }]
  return [
    { name: 'before', folder: findCheckout(compared) },
    { name: 'after', folder: OWN_CHECKOUT },
  ]
}

/** Returns the folder if it is a checkout, else a worktree of the commit with the packages of this one. */
function findCheckout(folderOrCommit: string): string {
  if (existsSync(join(folderOrCommit, 'package.json'))) return resolve(folderOrCommit)
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: OWN_CHECKOUT, encoding: 'utf8', stdio: 'pipe' }).trim()
  const commit = git('rev-parse', '--short=12', '--verify', `${folderOrCommit}^{commit}`)
  const folder = join(OWN_CHECKOUT, '.local/bench/checkouts', commit)
  if (!existsSync(folder)) {
    git('worktree', 'prune')
    git('worktree', 'add', '--detach', folder, commit)
  }
  usePackages(folder)
  return folder
}

/** Lends the packages of this checkout to another one that needs the same. */
function usePackages(folder: string): void {
  const packages = join(folder, 'node_modules')
  if (existsSync(packages)) return
  const lockOf = (checkout: string) => readFileSync(join(checkout, 'package-lock.json'), 'utf8')
  if (lockOf(folder) !== lockOf(OWN_CHECKOUT)) {
    throw new Error(`The commit has other packages. Run npm ci in ${folder}.`)
  }
  symlinkSync(join(OWN_CHECKOUT, 'node_modules'), packages)
}
