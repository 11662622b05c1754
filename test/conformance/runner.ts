// Runs the checks one after the other, deletes what they have created, and runs those that come last.
import { FellShort, NotRun } from './answer.ts'
import type { Check, Section } from './check.ts'
import { LAST_SECTIONS, SECTIONS } from './sections.ts'
import type { Suite } from './suite.ts'

export type Outcome = 'held' | 'fell short' | 'not run'
export type Result = { section: Section; sentence: string; outcome: Outcome; reason: string }
export type Report = {
  results: Result[]
  /** What could not be deleted. */
  leftovers: string[]
  wasInterrupted: boolean
}

type Options = {
  /** Which sentences are checked; all by default. */
  includes?: (sentence: string, section: Section) => boolean
  onResult?: (result: Result) => void
  onCleanUp?: (count: number) => void
}

export async function runSuite(suite: Suite, options: Options = {}): Promise<Report> {
  const { includes = () => true, onResult = () => {}, onCleanUp = () => {} } = options
  const results: Result[] = []
  /** The contract says the same in several places: a check that proves several sentences runs once. */
  const outcomes = new Map<Check, Pick<Result, 'outcome' | 'reason'>>()

  async function runSections(sections: Section[]): Promise<void> {
    for (const section of sections) {
      for (const [sentence, check] of Object.entries(section.checks)) {
        if (!includes(sentence, section)) continue
        const known = outcomes.get(check) ?? (await runCheck(suite, check))
        outcomes.set(check, known)
        const result = { section, sentence, ...known }
        if (suite.signal.aborted) return
        results.push(result)
        onResult(result)
      }
    }
  }

  let leftovers: string[] = []
  try {
    await runSections(SECTIONS)
  } finally {
    onCleanUp(suite.createdCount())
    leftovers = await suite.cleanUp()
  }
  if (!suite.signal.aborted) await runSections(LAST_SECTIONS)
  return { results, leftovers, wasInterrupted: suite.signal.aborted }
}

/** Any other error ends the run: nothing answers any more, or the suite has a mistake. */
async function runCheck(suite: Suite, check: Check): Promise<Pick<Result, 'outcome' | 'reason'>> {
  try {
    await check(suite)
    return { outcome: 'held', reason: '' }
  } catch (error) {
    if (suite.signal.aborted) return { outcome: 'not run', reason: 'Interrupted.' }
    if (error instanceof FellShort) return { outcome: 'fell short', reason: error.message }
    if (error instanceof NotRun) return { outcome: 'not run', reason: error.message }
    throw error
  }
}
