// The long runs: one after the other, each as long as it takes, with a seed printed for replay.
import { defineConfig } from 'vitest/config'

const root = new URL('../..', import.meta.url).pathname

/** These run in every `npm test`, too, with less of everything. */
const alsoShort = [
  'test/histories/faulty-histories.property.test.ts',
  'test/posts/parallel-edits.test.ts',
  'test/process/category-cleanup.test.ts',
]

export default defineConfig({
  test: {
    root,
    globalSetup: ['test/world/build.ts'],
    include: ['test/soak/*.soak.ts', ...alsoShort],
    env: { SOAK: 'yes' },
    fileParallelism: false,
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
    reporters: ['default'],
  },
})
