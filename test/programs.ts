// The test files of `npm run test:programs`: they start the service, commands or builds again and again, or
// need a whole machine.
export const PROGRAMS = [
  'test/bench/*.test.ts',
  'test/conformance/*.test.ts',
  'test/local/{start,start-again}.test.ts',
  'test/import-export/{interrupted,round-trip,start}.test.ts',
  'test/openapi/collection.test.ts',
  'test/operator/{process,restore,restore-*}.test.ts',
  'test/process/*.test.ts',
  'test/readme/{readme,stage,verify}.test.ts',
  'test/shape/{deploy,stages}.test.ts',
  'test/webhooks/load.test.ts',
]
