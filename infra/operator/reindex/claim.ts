// The claim on the index while it is written anew: prolonged on the way, and over soon should this process be.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import {
  claimWriting,
  endWriting,
  isReindexWriting,
  prolongWriting,
} from '../../../shared/search/commands/writer-lock.ts'
import type { Table } from '../../../shared/table/client.ts'
import { OperatorError } from '../command.ts'

const CLAIMED_MS = 120_000
const PROLONGED_AFTER_MS = 20_000
/** A run writes for seconds, and there is a moment between two of them. */
const LOOK_AGAIN_MS = 50

export type Claim = {
  /** Of this build alone. */
  build: string
  sinceMs: number
  /** To be called before each write. Throws OperatorError when it stood still for so long that runs went on. */
  hold: () => Promise<void>
  end: () => Promise<void>
}

/** Waits for a run of the index worker that writes now. Throws OperatorError while another reindex is under way. */
export async function claimIndex(table: Table, nowMs: number): Promise<Claim> {
  const build = randomUUID()
  const sinceMs = performance.now()
  let prolongedMs = sinceMs
  const claimed = (atMs: number) => {
    const atNowMs = Math.floor(nowMs + atMs - sinceMs)
    return { holder: build, nowMs: atNowMs, untilMs: atNowMs + CLAIMED_MS, isRun: false }
  }
  while (!(await claimWriting(table, claimed(performance.now())))) {
    if (await isReindexWriting(table)) {
      throw new OperatorError(
        'Another reindex is under way, or broke off: try again two minutes after it did.',
      )
    }
    await pause(LOOK_AGAIN_MS)
  }
  const hold = async () => {
    const atMs = performance.now()
    if (atMs - prolongedMs < PROLONGED_AFTER_MS) return
    if (!(await prolongWriting(table, claimed(atMs)))) {
      throw new OperatorError('This reindex stood still for so long that the service went on. Run it again.')
    }
    prolongedMs = atMs
  }
  return { build, sinceMs, hold, end: () => endWriting(table, build) }
}
