// Every key of the one table is built here. The chart in kinds.ts lists the items that have them.
export * from './design/content.ts'
export * from './design/parts.ts'
export * from './design/search.ts'
export * from './design/work.ts'
