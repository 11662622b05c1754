// State folders for tests, released and removed after the test.
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openState, type State } from '../../infra/local/state.ts'

export async function newStateFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'state-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export async function openUntilEnd(folder: string, options?: { reset: boolean }): Promise<State> {
  const state = await openState(folder, options)
  onTestFinished(() => state.release())
  return state
}

export async function modeOf(file: string) {
  return ((await stat(file)).mode & 0o777).toString(8)
}
