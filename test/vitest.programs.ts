// Configures `npm run test:programs`: the service, commands and builds as programs.
import { defineConfig } from 'vitest/config'
import { PROGRAMS } from './programs.ts'
import { COMMON, RUN, SHARING } from './vitest.common.ts'

export default defineConfig({
  test: { ...RUN, projects: [{ test: { ...COMMON, ...SHARING, name: 'programs', include: PROGRAMS } }] },
})
