// Fills a state at its start with an export, or with the content of another system.

import { importSource, isWrong, summaryOf } from '../operator/import-export/import/import.ts'
import type { Report } from '../operator/import-export/import/job.ts'
import { openSource, type Source } from '../operator/import-export/sources/source.ts'
import { localClients } from '../operator/local-clients.ts'
import { openProgress } from '../operator/progress.ts'
import { targetOf } from '../operator/target.ts'
import { clientSettings } from './account.ts'
import type { Log } from './log.ts'
import type { LocalService } from './service.ts'

/** Throws if the file cannot be read, or has no known format. */
export function openContent(file: string): Promise<Source> {
  return openSource([file], { nowSeconds: Math.floor(Date.now() / 1000) })
}

export type ImportTarget = Pick<LocalService, 'endpoints' | 'outputs' | 'baseUrl'>

/**
 * A repeated start imports what is missing, and changes nothing else. `createAuthor` makes the account of
 * posts that name no author, unless the import makes one.
 */
export async function importContent(
  service: ImportTarget,
  source: Source,
  { log, createAuthor }: { log: Log; createAuthor: () => Promise<number> },
): Promise<void> {
  const { endpoints, outputs, baseUrl } = service
  log(`Importing ${source.label} …`)
  const nowMs = Date.now()
  const target = targetOf({
    ...localClients(endpoints),
    outputs,
    ownUrl: baseUrl,
    label: 'the service that starts',
    openSecrets: async () => clientSettings(endpoints.secretsManager),
    close: async () => undefined,
  })
  const options = { dryRun: false, update: false, events: 'none', author: undefined, createAuthor } as const
  const report = await importSource(
    {
      target,
      nowMs,
      nowSeconds: Math.floor(nowMs / 1000),
      progress: openProgress({ write: text => log(text.trimEnd()) }, Date.now),
      readStdin: async () => '',
      writeOut: async () => undefined,
    },
    source,
    options,
  )
  logReport(report, log)
}

function logReport(report: Report, log: Log): void {
  for (const line of summaryOf(report)) log(line)
  if (!isWrong(report)) return
  for (const { outcome, kind, label, reason } of report.lines) {
    if (outcome === 'wrong') log(`${kind} ${label} was not imported: ${reason}`, 'warn')
  }
}
