// The counted list: every paginated list of the service, its total exact and any page a few small reads away.
//
//   root      counts per middle node       total, and where a page is; for a category its own record
//   middle    counts per key range         M#<from>: the range that a page begins in, at most 128 ranges
//   entries   in order of their keys       E#<order>: what the list shows, at most 32 a range
//
// The root is never split: at half a million entries, in full nodes, it has 128 children and 3 kB, at most twice that
// where they came in no order; a read of it then costs a unit more. Its item would be full at tens of millions.
//
// A change of a record takes `planMoves` into its transaction, so that entries and counts are always equal,
// and calls `settle` after the commit. Readers call `listPage`; a root's count alone is `countOf`.

export type { Plan, Touched } from './counts.ts'
export type { Order } from './directory.ts'
export {
  countOf,
  type List,
  newestFirst,
  type RootAttributes,
  rootAttributes,
} from './list.ts'
export { emptyDirectory } from './nodes.ts'
export { listPage, type PageQuery } from './page.ts'
export { type ListEntry, planListChanges } from './plan.ts'
export { rebalance } from './rebalance.ts'
export { type ListChange, writeWithLists } from './write.ts'
