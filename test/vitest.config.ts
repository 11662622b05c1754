// How the tests run: three files at a time on two cores, since each waits now and then, generous bounds, nothing global but one build.
import { defineConfig } from 'vitest/config'

const root = new URL('..', import.meta.url).pathname
/** What is started again and again is compiled once. */
const env = { NODE_COMPILE_CACHE: `${root}.local/compiled` }
/** Ends what hangs. No test may fail because the machine is slow, so this is far above what any test takes. */
const HANGS_AFTER_MS = 300_000
/** Young objects have room to die young: a tenth less of a core for the same tests. */
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

/** Their service runs in threads and processes of its own, so their files can share what is loaded once. */
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
/** And what they call keeps nothing in memory. */
const withoutMemory = inRooms(['rules', 'events', 'table', 'lists', 'search', 'webhooks', 'mail'])
const sharing = [...throughTheGateway, ...withoutMemory]
/** Looks at what all others needed. */
const atTheEnd = inRooms(['permissions'])
/** Of packages that are installed below. */
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
      // All others call the service's modules themselves, which keep things in memory: each file has its own.
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
