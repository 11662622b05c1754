// Allows one sweep at a time: two concurrent ones would send every row twice.
import { randomUUID } from 'node:crypto'
import { ConditionFailed } from '../table/action.ts'
import type { Table } from '../table/client.ts'
import { sweepLeaseKey } from '../table/design.ts'
import { latestEnd } from '../table/running.ts'

/** As long as a sweep may run. If its holder dies, the lease ends before the sweep of the next minute. */
const LEASE_MS = 50_000

/** Runs `work` unless another sweep is running. */
export async function withSweepLease<T>(
  table: Table,
  nowMs: number,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const holder = randomUUID()
  if (!(await take(table, holder, nowMs))) return undefined
  try {
    return await work()
  } finally {
    await release(table, holder)
  }
}

async function take(table: Table, holder: string, nowMs: number): Promise<boolean> {
  const Put = {
    Item: { ...sweepLeaseKey, holder, until_ms: nowMs + LEASE_MS },
    ConditionExpression: 'attribute_not_exists(pk) OR NOT until_ms BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':first': nowMs + 1, ':last': latestEnd(LEASE_MS, nowMs) },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  }
  try {
    await table.write({ Put })
    return true
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    // It is this lease if the write succeeded and its answer was lost.
    return error.item?.holder === holder
  }
}

async function release(table: Table, holder: string): Promise<void> {
  const Delete = {
    Key: sweepLeaseKey,
    ConditionExpression: 'holder = :holder',
    ExpressionAttributeValues: { ':holder': holder },
  }
  try {
    await table.write({ Delete })
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
  }
}
