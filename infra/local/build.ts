// Synthesizes the stack when its sources have changed, and keeps the result for the next start.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, constants, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Release, tryLock } from './file-lock.ts'
import { isAlive } from './processes.ts'
import { hashSources } from './sources.ts'

const thisProject = fileURLToPath(new URL('../..', import.meta.url))
const UNUSED_MS = 10 * 60_000
const USED_BY = '.used-by-'

export type BuildOptions = {
  log: (line: string) => void
  project?: string
  /** The folder of the run's data, for a build that this user may not keep in the checkout. */
  state?: string
}

/** The folder of an up-to-date cloud assembly: the one in CLOUD_ASSEMBLY, a kept one, or a new one (seconds). */
export async function buildAssembly({ log, project = thisProject, state }: BuildOptions): Promise<string> {
  if (process.env.CLOUD_ASSEMBLY) return await givenAssembly(resolve(process.env.CLOUD_ASSEMBLY))
  const builds = await folderOfBuilds(project, state)
  const assembly = join(builds, await hashSources(project))
  if (!(await exists(assembly))) await build(project, assembly, log)
  await writeFile(join(assembly, `${USED_BY}${process.pid}`), '')
  return assembly
}

async function givenAssembly(folder: string): Promise<string> {
  if (await exists(folder)) return folder
  throw new Error(`CLOUD_ASSEMBLY names ${folder}, which does not exist. Unset it to build a cloud assembly.`)
}

/** In the checkout, where all runs share it, else with the run's data: a checkout may be read-only or of another user. */
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

/** One process builds, others that want the same wait for it. */
async function build(project: string, assembly: string, log: (line: string) => void): Promise<void> {
  const builds = dirname(assembly)
  const release = await lockUnlessBuilt(join(builds, 'lock.sqlite'), assembly)
  if (!release) return
  try {
    log('Building the functions and the template (once, until the sources change) …')
    const draft = `${assembly}.tmp`
    await rm(draft, { recursive: true, force: true })
    await synthesize(project, draft)
    // A build is there whole or not at all, also after a sudden end.
    await rename(draft, assembly)
    await removeOldBuilds(builds, assembly)
  } finally {
    release()
  }
}

async function lockUnlessBuilt(file: string, assembly: string): Promise<Release | undefined> {
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

/** The CDK is heavy and its own process; throws with what it said when it fails. */
async function synthesize(project: string, outputFolder: string): Promise<void> {
  const env = { ...process.env, CDK_OUTDIR: outputFolder }
  const app = spawn(process.execPath, ['infra/app.ts'], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const endWithUs = () => app.kill()
  process.once('exit', endWithUs)
  let said = ''
  const listen = (text: string) => {
    said += text
  }
  app.stdout.setEncoding('utf8').on('data', listen)
  app.stderr.setEncoding('utf8').on('data', listen)
  const [code] = await once(app, 'close')
  process.off('exit', endWithUs)
  if (code !== 0) throw new Error(`The stack could not be synthesized (node infra/app.ts):\n${said.trim()}`)
}

/** Others may still run on an older build, or be about to. */
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
