// A check of a deployed stage: a sentence that no test without AWS can show, and what was found.
import type { ProvedStage } from './stage.ts'

export type Outcome = 'held' | 'did not hold' | 'cannot be told here'

/** `found` is what was seen, or the reason why nothing could be seen. */
export type Finding = { outcome: Outcome; found: string }

export type Check = {
  name: string
  did: string
  expected: string
  run: (stage: ProvedStage) => Promise<Finding>
}

export function held(found: string): Finding {
  return { outcome: 'held', found }
}

export function didNotHold(found: string): Finding {
  return { outcome: 'did not hold', found }
}

export function cannotBeTold(found: string): Finding {
  return { outcome: 'cannot be told here', found }
}

/** Held if nothing is wrong; `found` is what was seen. */
export function heldUnless(wrong: string[], found: string): Finding {
  return wrong.length === 0 ? held(found) : didNotHold(wrong.join(' '))
}
