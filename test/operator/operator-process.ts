// The command line as a process, and folders for it.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inject, onTestFinished } from 'vitest'

const file = fileURLToPath(new URL('../../infra/operator/operator.ts', import.meta.url))

export type ProcessResult = { code: number; out: string; err: string }

/** Calls the command line in a process of its own. */
export function run(argv: string[], environment: Record<string, string> = {}): Promise<ProcessResult> {
  return new Promise(resolve => {
    const env = { ...process.env, CLOUD_ASSEMBLY: inject('longTimeoutAssembly'), ...environment }
    execFile(process.execPath, [file, ...argv], { env }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    )
  })
}

export async function newFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'operator-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
