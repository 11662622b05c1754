// Configures the tests of a first start. They take minutes, need npm's registry and run in sequence.
import { defineConfig } from 'vitest/config'

const root = new URL('../..', import.meta.url).pathname

export default defineConfig({
  test: {
    root,
    include: ['test/install/*.install.ts'],
    fileParallelism: false,
    testTimeout: 900_000,
    hookTimeout: 300_000,
    reporters: ['verbose'],
  },
})
