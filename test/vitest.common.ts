// What the two runs of tests share: `npm test`, and `npm run test:programs`.
import type { TestUserConfig } from 'vitest/config'
import { LongestFirst } from './longest-first.ts'

const root = new URL('..', import.meta.url).pathname
/** Far longer than any test takes, so that no test fails because the machine is slow. */
const HANGS_AFTER_MS = 1_800_000
/** A larger young generation saves a tenth of the CPU time, and its collection by one thread a twentieth. */
const execArgv = ['--max-semi-space-size=24', '--single-threaded-gc']

export const COMMON = {
  root,
  execArgv,
  // Node runs the sources itself, which is what a start does too, and costs less than transforming them.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  /** Child processes share a cache of compiled code. */
  env: { NODE_COMPILE_CACHE: `${root}.local/compiled` },
  testTimeout: HANGS_AFTER_MS,
  hookTimeout: HANGS_AFTER_MS,
  expect: { poll: { timeout: HANGS_AFTER_MS / 2 } },
} satisfies TestUserConfig

export const RUN = {
  root,
  execArgv,
  globalSetup: ['test/support/build.ts'],
  // More than two cores, because many tests wait for a time-out or for another process.
  maxWorkers: 3,
  reporters: ['default'],
  sequence: { sequencer: LongestFirst },
} satisfies TestUserConfig

/** One process runs many files, and loads modules once. */
export const SHARING = { isolate: false } satisfies TestUserConfig
