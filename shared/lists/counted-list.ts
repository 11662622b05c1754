// The counted list, as the rest of the house uses it. README.md in this folder explains how it works.

export type { Order } from './children.ts'
export {
  fixedList,
  type List,
  newestFirst,
  type RootAttributes,
  rootAttributes,
  visibleCount,
} from './list.ts'
export { emptyListNodes } from './nodes.ts'
export { type ListPage, type ListPageQuery, listPage } from './page.ts'
export {
  type ListChange,
  type ListEntry,
  type Plan,
  planListChanges,
  writeWithLists,
} from './plan.ts'
export { rebalance, type UnbalancedNode } from './rebalance.ts'
export { listAfter, type WalkPart } from './walk.ts'
