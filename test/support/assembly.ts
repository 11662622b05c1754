// Synthesizes the stack if its sources have changed since the last run.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const project = fileURLToPath(new URL('../..', import.meta.url))
const builds = join(project, '.local', 'build')
const FOLDERS = ['infra', 'shared', 'functions']
const FILES = ['package.json', 'package-lock.json', 'cdk.json', 'tsconfig.json']
/** Another run may use a build that is younger. */
const DAY_MS = 86_400_000

/** Returns the folder of a cloud assembly, which takes seconds to build. */
export async function buildAssembly(log: (line: string) => void): Promise<string> {
  const assembly = join(builds, await hashSources())
  if (existsSync(assembly)) return assembly
  log('Building the functions and the template (only after the sources change) …')
  await mkdir(builds, { recursive: true })
  const draft = `${assembly}.${process.pid}`
  await synthesize(draft)
  // The rename is atomic, so an interrupted build never looks complete. It fails if another run was faster.
  await rename(draft, assembly).catch(() => rm(draft, { recursive: true }))
  await removeOldBuilds()
  return assembly
}

/** A hash over the paths and contents of all sources. */
async function hashSources(): Promise<string> {
  const entries = await Promise.all(
    FOLDERS.map(folder => readdir(join(project, folder), { recursive: true, withFileTypes: true })),
  )
  const paths = entries.flat().flatMap(entry => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []))
  const hash = createHash('sha256')
  for (const path of [...paths, ...FILES.map(file => join(project, file))].sort()) {
    const content = await readFile(path)
    hash.update(`${path}\n${content.length}\n`).update(content)
  }
  return hash.digest('hex').slice(0, 16)
}

/** The CDK's own validation takes most of the time of a build. `npm run synth` and a deployment validate. */
export const WITHOUT_VALIDATION = { CDK_VALIDATION: 'false' }

/** Runs the CDK in its own process, because it is large. Throws its output if it fails. */
async function synthesize(folder: string): Promise<void> {
  const env = { ...process.env, ...WITHOUT_VALIDATION, CDK_OUTDIR: folder }
  const app = spawn(process.execPath, ['infra/app.ts'], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, problems, [code]] = await Promise.all([
    text(app.stdout),
    text(app.stderr),
    once(app, 'close'),
  ])
  if (code !== 0) throw new Error(`Cannot synthesize the stack (node infra/app.ts):\n${output}${problems}`)
}

async function removeOldBuilds(): Promise<void> {
  for (const name of await readdir(builds)) {
    const folder = join(builds, name)
    if (Date.now() - (await stat(folder)).mtimeMs > DAY_MS) await rm(folder, { recursive: true, force: true })
  }
}
