// Runs a program of a package of test/clients/node_modules.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const FOLDER = fileURLToPath(new URL('.', import.meta.url))

export type Variables = Record<string, string>

export function packaged(script: string): string {
  return join(FOLDER, 'node_modules', script)
}

/** `script`: of a package. */
export function startPackage(script: string, args: string[], cwd: string, variables: Variables) {
  return startScript(packaged(script), args, cwd, variables)
}

/** `script`: a path from `cwd`. */
export function startScript(script: string, args: string[], cwd: string, variables: Variables): ChildProcess {
  const env = { ...process.env, ASTRO_TELEMETRY_DISABLED: '1', NEXT_TELEMETRY_DISABLED: '1', ...variables }
  return spawn(process.execPath, [script, ...args], {
    cwd,
    env,
    stdio: ['ignore', process.env.VERBOSE ? 'inherit' : 'ignore', 'inherit'],
  })
}

export async function runPackage(script: string, args: string[], cwd: string, variables: Variables) {
  const [status] = await once(startPackage(script, args, cwd, variables), 'exit')
  if (status !== 0) throw new Error(`${script} ended with status ${status}. VERBOSE=1 shows its output.`)
}
