// Takes targets from rows until an answer is full, and says where the next answer goes on. No I/O.
import type { Row, Target } from './change.ts'
import { hourOf, type Position } from './position.ts'

/** A target with the time of its last change, and the slugs under which readers may know it. */
export type Told = { target: Target; atMs: number; formerSlugs: string[] }

/** Each target once, at the place of its last change. */
function openTold(limit: number) {
  const told = new Map<string, Told>()

  /** Returns false if there is no room for another target. */
  const add = (target: Target, atMs: number): boolean => {
    const name = nameOf(target)
    const earlier = told.get(name)
    if (!earlier && told.size >= limit) return false
    const slug = 'formerSlug' in target ? target.formerSlug : undefined
    told.delete(name)
    told.set(name, {
      target,
      atMs,
      formerSlugs: [...(earlier?.formerSlugs ?? []), ...(slug === undefined ? [] : [slug])],
    })
    return true
  }
  return { add, all: () => [...told.values()] }
}

function nameOf(target: Target): string {
  if (target.kind === 'post') return `${target.type} ${target.id}`
  if (target.kind === 'category') return `category ${target.id}`
  return target.kind === 'menu' ? `menu ${target.location}` : target.kind
}

/** `isAll`: there are no further rows. */
export type Rows = { rows: Row[]; isAll: boolean }
export type Answerable = { told: Told[]; next: Position; hasMore: boolean }

/** At most `limit` targets. */
export function takeTargets(
  start: Position,
  { rows, isAll }: Rows,
  limit: number,
  nowSeconds: number,
): Answerable {
  const told = openTold(limit)
  const { begun, ...from } = start
  let position: Position = { ...from, issued: hourOf(nowSeconds) }
  for (const { source, key, place, atMs, targets } of rows) {
    const first = begun?.source === source && begun.key === key ? begun.told : 0
    const full = targets.findIndex((target, n) => n >= first && !told.add(target, atMs))
    if (full >= 0) {
      return { told: told.all(), next: { ...position, begun: { source, key, told: full } }, hasMore: true }
    }
    position = source === 'feed' ? { ...position, place } : { ...position, due: key }
  }
  return { told: told.all(), next: position, hasMore: !isAll }
}
