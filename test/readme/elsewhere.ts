// The commands of READMEs that cannot run inside a test run, and why.

/** The key is the whole line of the README. */
export const ELSEWHERE: Record<string, string> = {
  'npm ci && npm start': 'the packages are installed; every session starts the service with its own port',
  'npm run test:soak': 'takes an hour; every test run does a little of it',
  'npm run test:fuzz': 'takes many minutes; .ci/run sends 500 of its requests',
  'npm run test:stack': 'takes minutes, and needs Python; it deploys into an emulator of AWS',
  'npm run test:clients': 'installs 540 MB of packages and takes minutes',
  'npm run test:clients -- --only astro --count 100': 'installs 540 MB of packages',
  'npm run bench': 'takes many minutes; test/bench/compare.test.ts runs a little of it',
  'npm start -- --host 172.17.0.1 --host host.docker.internal':
    'needs such an address; test/local/start.test.ts uses an address of the machine',
  'ADMIN_TOKEN="$TOKEN" npm run conformance -- http://127.0.0.1:3000':
    'keeps to the rate limits for many minutes; test/conformance runs it with higher ones',
  'npm start -- --state /mnt/backups/monday':
    'does not end by itself; test/operator/backup.test.ts runs a service on a backup',
  'git pull && npm ci && npm start': 'needs a newer version',
  'scp -r /mnt/backups/to-move server.example.com:state': 'needs another machine',
  'git pull && npm ci': 'needs a newer version',
}

/** The commands on a deployed stage. stage.test.ts runs those of the operator on an emulated one. */
function needsAccount(command: string): boolean {
  return /^(aws|npx cdk|npm run deploy) /.test(command) || / --stage \S+/.test(command)
}

/** `npm test -- PATH` would run inside itself; a test of the links checks that the path exists. */
export function runsElsewhere(command: string): boolean {
  return command in ELSEWHERE || command.startsWith('npm test -- ') || needsAccount(command)
}
