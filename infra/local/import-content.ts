// Fills a state at its start with an export, such as the demo content, or with the content of another system.
import { fileURLToPath } from 'node:url'
import { importSource, summaryOf } from '../operator/import-export/import/import.ts'
import { openSource } from '../operator/import-export/sources/source.ts'
import { localTarget } from '../operator/local-target.ts'
import { openProgress } from '../operator/terminal.ts'
import type { Log } from './log.ts'
import type { LocalService } from './service.ts'

/** Enough for every public endpoint to return something. */
export const DEMO_FILE = fileURLToPath(new URL('demo.jsonl', import.meta.url))

/**
 * Throws if the file cannot be read, or has no known format. The import of a repeated start imports what is
 * missing, and changes nothing else.
 */
export async function openContent(file: string) {
  const source = await openSource([file], { nowSeconds: Math.floor(Date.now() / 1000) })
  /** `createAuthor` makes the account of posts that name no author, unless the import makes one. */
  return async (service: LocalService, log: Log, createAuthor: () => Promise<number>): Promise<void> => {
    log(`Importing ${source.label} …`)
    const target = localTarget(service, { ownUrl: service.baseUrl, label: 'the service that starts' })
    const progress = openProgress({ write: text => log(text.trimEnd()) }, Date.now)
    const context = { target, nowMs: Date.now(), progress }
    const report = await importSource(context, source, { createAuthor })
    for (const line of summaryOf(report)) log(line)
    for (const { outcome, kind, label, reason } of report.lines) {
      if (outcome === 'wrong') log(`${kind} ${label} was not imported: ${reason}`, 'warn')
    }
  }
}
