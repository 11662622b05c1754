// Runs once before all test files: synthesizes and bundles the stack, starts a database.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { startDynamodb } from '../../infra/local/dynamodb/database.ts'
import { buildAssembly } from './assembly.ts'

declare module 'vitest' {
  interface ProvidedContext {
    assembly: string
    /** The folder in which worlds record the permissions that their functions used. */
    permissions: string
    /** A folder for what test files of a run share. */
    scratch: string
    /** The database of tables without a service, shared because starting one takes a third of a second. */
    dynamodb: string
  }
}

export default async ({ provide }: TestProject): Promise<() => Promise<void>> => {
  const assembly = await buildAssembly(line => process.stderr.write(`${line}\n`))
  provide('assembly', assembly)
  const permissions = await mkdtemp(join(tmpdir(), 'permissions-'))
  provide('permissions', permissions)
  const scratch = await mkdtemp(join(tmpdir(), 'scratch-'))
  provide('scratch', scratch)
  const dynamodb = await startDynamodb()
  provide('dynamodb', dynamodb.endpoint)
  return async () => {
    await dynamodb.stop()
    for (const folder of [permissions, scratch]) await rm(folder, { recursive: true, force: true })
  }
}
