// The service as a process that ends with the test, at normal limits times 10,000 and without demo content.
import { onTestFinished } from 'vitest'
import { spawnService, untilReady } from '../support/service-process.ts'

export type Service = Awaited<ReturnType<typeof startProcess>>

/** Resolves when the service is ready. `kill` sends SIGKILL. */
export async function startProcess(state: string, moreOptions: string[] = []) {
  const service = spawnService(state, ['--empty', '--limit-scale', '10000', ...moreOptions])
  const kill = () => service.end('SIGKILL')
  onTestFinished(kill)
  const ready = await untilReady(service, state)
  return { ...ready, token: ready.adminToken, kill }
}
