// State folders for tests, released and removed after the test.
import { stat } from 'node:fs/promises'
import { onTestFinished } from 'vitest'
import { openState, type State } from '../../infra/local/state.ts'

export async function openUntilEnd(folder: string, options?: { reset: boolean }): Promise<State> {
  const state = await openState(folder, options)
  onTestFinished(() => state.release())
  return state
}

export async function modeOf(file: string) {
  return ((await stat(file)).mode & 0o777).toString(8)
}
