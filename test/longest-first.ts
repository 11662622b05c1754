// Starts the longest test files first, so that none of them runs alone at the end.
// In a fresh clone Vitest knows no times, and would start the largest files first.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { BaseSequencer, type TestSpecification, type Vitest } from 'vitest/node'

/** Files that take 15 seconds or more, the longest first. */
const LONGEST = [
  'readme/readme.test.ts',
  'conformance/conformance.test.ts',
  'bench/compare.test.ts',
  'bench/budgets.test.ts',
  'process/restart.test.ts',
  'import-export/round-trip.test.ts',
  'shape/stages.test.ts',
  'operator/rebuild-index.test.ts',
  'api/bad-bodies.test.ts',
  'openapi/examples.test.ts',
  'lambda/hostile-arrays.test.ts',
  'operator/doctor.test.ts',
  'operator/personal-data.test.ts',
  'api/sessions.test.ts',
].map(file => fileURLToPath(new URL(file, import.meta.url)))

export class LongestFirst extends BaseSequencer {
  constructor(vitest: Vitest) {
    const missing = LONGEST.filter(file => !existsSync(file))
    if (missing.length > 0) throw new Error(`Remove from test/longest-first.ts: ${missing.join(', ')}.`)
    super(vitest)
  }

  /** Keeps the order of projects: a worker is handed on only to a file of the same project. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byProject = Map.groupBy(await super.sort(files), ({ project }) => project.name)
    return [...byProject.values()].flatMap(ofProject => ofProject.toSorted((a, b) => rankOf(a) - rankOf(b)))
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONGEST.indexOf(moduleId)
  return rank < 0 ? LONGEST.length : rank
}
