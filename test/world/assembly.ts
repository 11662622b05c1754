// Synthesizes the stack if its sources have changed, and caches the result for the next start.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, constants, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isAlive } from '../../infra/local/processes.ts'
import { tryLock } from '../../infra/local/state.ts'
import { hashSources } from './sources.ts'

const thisProject = fileURLToPath(new URL('../..', import.meta.url))
const UNUSED_MS = 10 * 60_000
const USED_BY = '.used-by-'

export type BuildOptions = {
  log: (line: string) => void
  project?: string
  /** The folder of the run's data: holds the build if the checkout is not writable. */
  state?: string
}

/** Returns the folder of a cloud assembly: CLOUD_ASSEMBLY, a cached build, or a new one (takes seconds). */
export async function buildAssembly({ log, project = thisProject, state }: BuildOptions): Promise<string> {
  if (process.env.CLOUD_ASSEMBLY) return await existingAssembly(resolve(process.env.CLOUD_ASSEMBLY))
  const builds = await folderOfBuilds(project, state)
  const assembly = join(builds, await hashSources(project))
  if (!(await exists(assembly))) await build(project, assembly, log)
  await writeFile(join(assembly, `${USED_BY}${process.pid}`), '')
  return assembly
}

async function existingAssembly(folder: string): Promise<string> {
  if (await exists(folder)) return folder
  throw new Error(`CLOUD_ASSEMBLY is ${folder}, which does not exist. Unset it to build a cloud assembly.`)
}

/** The checkout, so that all runs share it. The run's data if the checkout is not writable for this user. */
async function folderOfBuilds(project: string, state: string | undefined): Promise<string> {
  const shared = join(project, '.local', 'build')
  try {
    await mkdir(shared, { recursive: true })
    await access(shared, constants.W_OK)
    return shared
  } catch (error) {
    if (state === undefined) throw error
    const own = join(state, 'build')
    await mkdir(own, { recursive: true })
    return own
  }
}

/** One process builds; others that need the same build wait for it. */
async function build(project: string, assembly: string, log: (line: string) => void): Promise<void> {
  const builds = dirname(assembly)
  const release = await lockUnlessBuilt(join(builds, 'lock.sqlite'), assembly)
  if (!release) return
  try {
    log('Building the functions and the template (only after the sources change) …')
    const draft = `${assembly}.tmp`
    await rm(draft, { recursive: true, force: true })
    await synthesize(project, draft)
    // The rename is atomic, so an interrupted build never looks complete.
    await rename(draft, assembly)
    await removeOldBuilds(builds, assembly)
  } finally {
    release()
  }
}

async function lockUnlessBuilt(file: string, assembly: string): Promise<(() => void) | undefined> {
  for (;;) {
    const release = tryLock(file)
    if (await exists(assembly)) {
      release?.()
      return undefined
    }
    if (release) return release
    await sleep(50)
  }
}

/** The CDK's own validation takes most of the time of a build. `npm run synth` and a deployment validate. */
export const WITHOUT_VALIDATION = { CDK_VALIDATION: 'false' }

/** Runs the CDK in its own process, because it is large. Throws its output if it fails. */
async function synthesize(project: string, outputFolder: string): Promise<void> {
  const env = { ...process.env, ...WITHOUT_VALIDATION, CDK_OUTDIR: outputFolder }
  const app = spawn(process.execPath, ['infra/app.ts'], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = () => app.kill()
  process.once('exit', kill)
  let output = ''
  const collect = (text: string) => {
    output += text
  }
  app.stdout.setEncoding('utf8').on('data', collect)
  app.stderr.setEncoding('utf8').on('data', collect)
  const [code] = await once(app, 'close')
  process.off('exit', kill)
  if (code !== 0) throw new Error(`Cannot synthesize the stack (node infra/app.ts):\n${output.trim()}`)
}

/** Keeps builds that a running process uses, and recent ones that a process may be about to use. */
async function removeOldBuilds(builds: string, current: string): Promise<void> {
  const entries = await readdir(builds, { withFileTypes: true })
  const folders = entries.filter(entry => entry.isDirectory()).map(entry => join(builds, entry.name))
  for (const folder of folders) {
    const { mtimeMs } = await stat(folder)
    if (folder === current || Date.now() - mtimeMs < UNUSED_MS || (await isUsed(folder))) continue
    await rm(folder, { recursive: true, force: true })
  }
}

async function isUsed(folder: string): Promise<boolean> {
  const marks = (await readdir(folder)).filter(name => name.startsWith(USED_BY))
  return marks.some(name => isAlive(Number(name.slice(USED_BY.length))))
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
