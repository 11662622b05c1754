// Configures `npm test`: all tests but those of programs.
import { defineConfig } from 'vitest/config'
import { PROGRAMS } from './programs.ts'
import { COMMON, RUN, SHARING } from './vitest.common.ts'

/** These replace the pauses of their whole process, which must not hold for the service of another file. */
const isolated = ['test/histories/{faulty-histories,builders}.property.test.ts']
/** These load the CDK, some 200 MiB that the processes of all other tests need not hold. */
const stack = [
  'test/shape/{alarms,backups,cost,permissions,policies,release-check,runbook,stack,traffic}.test.ts',
  'test/release/*.test.ts',
]
/** It checks which permissions all other tests needed. */
const permissions = ['test/permissions/**/*.test.ts']
/** Tests of packages that are installed below the folder. */
const dependencies = '**/node_modules/**'

export default defineConfig({
  test: {
    ...RUN,
    projects: [
      {
        test: {
          ...COMMON,
          ...SHARING,
          name: 'sharing',
          setupFiles: ['test/support/setup.ts'],
          include: ['test/**/*.test.ts'],
          exclude: [...PROGRAMS, ...isolated, ...stack, ...permissions, dependencies],
        },
      },
      {
        test: {
          ...COMMON,
          name: 'isolated',
          include: isolated,
        },
      },
      {
        test: {
          ...COMMON,
          ...SHARING,
          name: 'stack',
          setupFiles: ['test/support/setup.ts'],
          include: stack,
        },
      },
      {
        test: { ...COMMON, name: 'permissions', include: permissions, sequence: { groupOrder: 1 } },
      },
    ],
  },
})
