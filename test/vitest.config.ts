// Configures the tests: three files at a time, time-outs for slow machines, one build for all files.
import { defineConfig } from 'vitest/config'

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
function inRooms(rooms: string[]) {
  return rooms.map(room => `test/${room}/**/*.test.ts`)
}

/** Their service runs in its own threads and processes, so files can share loaded modules. */
const throughTheGateway = inRooms([
  'api',
  'import',
  'openapi',
  'process',
  'readme',
  'local',
  'shape',
  'operator',
])
/** The modules that they call keep no state in memory. */
const withoutMemory = inRooms(['rules', 'events', 'table', 'lists', 'search', 'webhooks', 'mail'])
const sharing = [...throughTheGateway, ...withoutMemory]
/** Checks the permissions that all other tests used. */
const atTheEnd = inRooms(['permissions'])
/** Tests of installed packages. */
const notOurs = '**/node_modules/**'

export default defineConfig({
  test: {
    root,
    execArgv,
    globalSetup: ['test/world/build.ts'],
    maxWorkers: 3,
    reporters: ['default'],
    projects: [
      {
        test: {
          ...common,
          name: 'sharing',
          include: sharing,
          exclude: [notOurs],
          isolate: false,
          provide: { reusesServices: true },
        },
      },
      // The other tests call modules of the service, which cache data: each file loads its own.
      {
        test: {
          ...common,
          name: 'modules',
          provide: { reusesServices: false },
          include: ['test/**/*.test.ts'],
          exclude: [...sharing, ...atTheEnd, notOurs],
        },
      },
      {
        test: { ...common, name: 'permissions', include: atTheEnd, sequence: { groupOrder: 1 } },
      },
    ],
  },
})
