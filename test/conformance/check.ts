// A check proves one sentence; a section has the checks of one part of the contract.
import type { Suite } from './suite.ts'

export type Check = {
  /** A sentence that means something alone in a report. */
  name: string
  /** The sentence that is proven, word for word. A row of a table has its bars. */
  proves: string
  run: (suite: Suite) => Promise<void>
}

/** A sentence that no client can prove, and the reason. */
export type Unprovable = { sentence: string; because: string }

/** `contract`: the contract itself. Completions settle what it leaves open; additions go beyond it. */
export type Part = 'contract' | 'completions' | 'additions'

export type Section = {
  part: Part
  title: string
  checks: Check[]
  /** Sentences by which the contract itself leaves something open. */
  notShown?: string[]
  unprovable?: Unprovable[]
}
