// Waits until a function remembers public content, some time after it has seen the latest change.
import { openContent } from '../../shared/cache/content.ts'
import { raiseVersion } from '../../shared/cache/version.ts'
import type { Action } from '../../shared/table/action.ts'
import type { Table } from '../../shared/table/client.ts'
import { until } from './until.ts'

/** A change of public content that changes nothing else: functions forget what they remember. */
export function contentRaised(): Action[] {
  return [{ Update: raiseVersion('content') }]
}

/** For a function that has just been opened; afterwards only a new name delays it. */
export function namesAreRemembered(table: Table, nowMs: number) {
  return until('names to be remembered', async () => (await openContent(table, nowMs)).namesTable !== table)
}

/** `table`: as the function opened it, since that is what its memory belongs to. */
export function contentIsRemembered(table: Table, nowMs: number) {
  return until('the public content to be remembered', async () => {
    const { answers, ready } = await openContent(table, nowMs)
    await ready
    return answers !== undefined
  })
}
