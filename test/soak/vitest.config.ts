// The long test runs, one after the other, each with a printed seed to repeat it.
import { defineConfig } from 'vitest/config'

const root = new URL('../..', import.meta.url).pathname

/** These run in `npm test` or `npm run test:programs` as well, for a shorter time. */
const alsoShort = [
  'test/histories/faulty-histories.property.test.ts',
  'test/posts/parallel-edits.test.ts',
  'test/process/category-cleanup.test.ts',
  'test/webhooks/bursts.property.test.ts',
]

export default defineConfig({
  test: {
    root,
    experimental: { viteModuleRunner: false, nodeLoader: false },
    globalSetup: ['test/support/build.ts'],
    include: ['test/soak/*.soak.ts', ...alsoShort],
    env: { SOAK: 'yes' },
    fileParallelism: false,
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
    reporters: ['default'],
  },
})
