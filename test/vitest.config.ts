// Configures the tests: four files at a time, time-outs for slow machines, one build for all files.
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './longest-first.ts'

const root = new URL('..', import.meta.url).pathname
/** Child processes share a cache of compiled code. */
const env = { NODE_COMPILE_CACHE: `${root}.local/compiled` }
/** Far longer than any test takes, so that no test fails because the machine is slow. */
const HANGS_AFTER_MS = 300_000
/** A larger young generation saves a tenth of the CPU time. */
const execArgv = ['--max-semi-space-size=32']
const common = {
  root,
  env,
  execArgv,
  testTimeout: HANGS_AFTER_MS,
  hookTimeout: HANGS_AFTER_MS,
  expect: { poll: { timeout: HANGS_AFTER_MS / 2 } },
}

/** These replace modules of Node, so each of them loads the service's modules in a process of its own. */
const isolated = [
  'test/accounts/{crashes,login-cost,login-guard,races}.test.ts',
  'test/histories/{faulty-histories,builders}.property.test.ts',
]
/** It checks which permissions all other tests needed. */
const permissions = ['test/permissions/**/*.test.ts']
/** Tests of packages that are installed below the folder. */
const dependencies = '**/node_modules/**'

export default defineConfig({
  test: {
    root,
    execArgv,
    globalSetup: ['test/world/build.ts'],
    // More than cores, because many tests wait for a time-out or for another process.
    maxWorkers: 4,
    reporters: ['default'],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...common,
          name: 'sharing',
          include: ['test/**/*.test.ts'],
          exclude: [...isolated, ...permissions, dependencies],
          isolate: false,
          provide: { reusesServices: true },
        },
      },
      {
        test: {
          ...common,
          name: 'isolated',
          include: isolated,
          provide: { reusesServices: false },
        },
      },
      {
        test: { ...common, name: 'permissions', include: permissions, sequence: { groupOrder: 1 } },
      },
    ],
  },
})
