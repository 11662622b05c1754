// A section has the sentences of one part of the contract, word for word, each with the check that proves it.
import type { Suite } from './suite.ts'

/** Throws if the service does something else than the sentence says. */
export type Check = (suite: Suite) => Promise<void>

/** `contract`: the contract itself. Completions settle what it leaves open; additions go beyond it. */
export type Part = 'contract' | 'completions' | 'additions'

export type Section = {
  part: Part
  title: string
  /** By sentence. A row of a table has its bars. */
  checks: Record<string, Check>
  /** Sentences by which the contract itself leaves something open, and those that no client can prove. */
  notShown?: string[]
}
