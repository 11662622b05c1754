// How the tests run: two files at a time on two cores, generous bounds, nothing global but one build.
import { defineConfig } from 'vitest/config'

const root = new URL('..', import.meta.url).pathname
const common = { root, testTimeout: 60_000, hookTimeout: 60_000 }
const inRooms = (rooms: string[]) => rooms.map(room => `test/${room}/**/*.test.ts`)

/** Their service runs in threads and processes of its own, so their files can share what is loaded once. */
const throughTheGateway = inRooms(['api', 'import', 'openapi', 'process', 'readme', 'local', 'shape'])
/** These call the service's modules themselves, which keep things in memory: each file has its own. */
const inProcess = inRooms([
  'accounts',
  'bench',
  'comments',
  'lambda',
  'mail',
  'operator',
  'posts',
  'rules',
  'search',
  'table',
  'webhooks',
])
const histories = 'test/api/*histories.property.test.ts'

export default defineConfig({
  test: {
    root,
    globalSetup: ['test/world/build.ts'],
    maxWorkers: 2,
    reporters: ['default'],
    projects: [
      {
        test: {
          ...common,
          name: 'gateway',
          include: throughTheGateway,
          exclude: [histories, '**/node_modules/**'],
          isolate: false,
        },
      },
      { test: { ...common, name: 'modules', include: [...inProcess, histories] } },
      // Looks at what all others needed.
      {
        test: {
          ...common,
          name: 'permissions',
          include: inRooms(['permissions']),
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
