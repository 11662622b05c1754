// What a newcomer does first, on a copy of the checkout: minutes, and npm's registry. One after the other.
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
