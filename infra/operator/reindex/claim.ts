// The claim on the index while it is written anew: prolonged on the way, and over soon should this process be.
import { randomUUID } from 'node:crypto'
import { claimRebuilding, endRebuilding, prolongRebuilding } from '../../../shared/search/rebuilding.ts'
import type { Table } from '../../../shared/table/client.ts'
import { OperatorError } from '../command.ts'

const CLAIMED_MS = 120_000
const PROLONGED_AFTER_MS = 20_000

export type Claim = {
  /** Of this build alone. */
  build: string
  sinceMs: number
  /** To be called before each write. Throws OperatorError when it stood still for so long that runs went on. */
  hold: () => Promise<void>
  end: () => Promise<void>
}

/** Throws OperatorError while another one is under way. */
export const claimIndex = async (table: Table, nowMs: number): Promise<Claim> => {
  const build = randomUUID()
  const sinceMs = performance.now()
  let prolongedMs = sinceMs
  const claimed = (atMs: number) => {
    const now = Math.floor(nowMs + atMs - sinceMs)
    return { holder: build, nowMs: now, untilMs: now + CLAIMED_MS }
  }
  if (!(await claimRebuilding(table, claimed(sinceMs))))
    throw new OperatorError('Another reindex is under way, or broke off: try again two minutes after it did.')
  const hold = async () => {
    const atMs = performance.now()
    if (atMs - prolongedMs < PROLONGED_AFTER_MS) return
    if (!(await prolongRebuilding(table, claimed(atMs))))
      throw new OperatorError('This reindex stood still for so long that the service went on. Run it again.')
    prolongedMs = atMs
  }
  return { build, sinceMs, hold, end: () => endRebuilding(table, build) }
}
