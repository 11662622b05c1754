// Fills the table at the start, in a thread that ends: a third of all modules of the start are for it alone.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { COMPILE_CACHE } from './compiled-code.ts'
import type { FilledService, FillMessage, FillStart } from './fill-thread.ts'
import type { Log } from './log.ts'
import type { OwnerWithTokens } from './seed.ts'

export type Fill = (service: FilledService) => Promise<OwnerWithTokens>

/** The thread loads its modules while the service starts. Throws if the file to import cannot be read. */
export async function openFill(importFile: string | undefined, log: Log): Promise<Fill> {
  const workerData: FillStart = { importFile }
  const thread = new Worker(new URL('./fill-thread.ts', import.meta.url), {
    name: 'fill',
    workerData,
    env: { ...process.env, ...COMPILE_CACHE },
    execArgv: [],
  })
  if (importFile !== undefined) await once(thread, 'message')
  return async service => {
    let owner: OwnerWithTokens | undefined
    thread.on('message', (message: FillMessage) => {
      if ('line' in message) log(message.line, message.level)
      if ('owner' in message) owner = message.owner
    })
    thread.postMessage(service)
    await once(thread, 'exit')
    if (owner) return owner
    throw new Error('The thread that fills the table ended before it was done.')
  }
}
