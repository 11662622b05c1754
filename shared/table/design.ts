// Every key of the one table, each built in a file of design/. The chart in kinds.ts lists the items.
export * from './design/content.ts'
export * from './design/parts.ts'
export * from './design/search.ts'
export * from './design/work.ts'
