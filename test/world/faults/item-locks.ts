// An interceptor that delays transactions and locks their items, so that writes conflict as in DynamoDB.
import { setTimeout as pause } from 'node:timers/promises'
import { isPlainWrite, isTransaction, itemsOf } from './bodies.ts'
import type { Interceptor } from './call.ts'
import { conflict } from './fault-kinds.ts'

const MIN_MS = 20
const MAX_MS = 40

/** @param onConflict called for every rejected write. */
export function createItemLocks({ onConflict = () => {} }: { onConflict?: () => void } = {}): Interceptor {
  const locked = new Set<string>()
  return async (call, next) => {
    if (!isTransaction(call) && !isPlainWrite(call)) return next(call)
    const items = itemsOf(call)
    const taken = new Set(items.flatMap((item, n) => (locked.has(item) ? [n] : [])))
    if (taken.size > 0) {
      onConflict()
      return conflict(call, taken, items.length)
    }
    if (isPlainWrite(call)) return next(call)
    for (const item of items) locked.add(item)
    try {
      const [answer] = await Promise.all([next(call), pause(MIN_MS + Math.random() * (MAX_MS - MIN_MS))])
      return answer
    } finally {
      for (const item of items) locked.delete(item)
    }
  }
}
