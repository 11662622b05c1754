// Once for all test files: the stack as it is now, synthesized and bundled, one hashed password and one database.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildAssembly } from '../../infra/local/build.ts'
import { startDynamodb } from '../../infra/local/emulators.ts'
import { hashPassword } from '../../shared/accounts/password.ts'
import { writePatientAssembly } from './patient-assembly.ts'

declare module 'vitest' {
  interface ProvidedContext {
    assembly: string
    /** The same stack for services that tests run: with longer time-outs. */
    patientAssembly: string
    /** The folder in which worlds tell what their functions were let do. */
    permissions: string
    /** The owner's in every world: hashing one takes a third of a second of a core. */
    password: { text: string; hash: string }
    /** Where tables without a service are: starting a database takes a third of a second of a core. */
    dynamodb: string
  }
}

export default async ({ provide }: TestProject): Promise<() => Promise<void>> => {
  const assembly = await buildAssembly({ log: line => process.stderr.write(`${line}\n`) })
  provide('assembly', assembly)
  const patientAssembly = await mkdtemp(join(tmpdir(), 'assembly-'))
  await writePatientAssembly(assembly, patientAssembly)
  provide('patientAssembly', patientAssembly)
  const permissions = await mkdtemp(join(tmpdir(), 'permissions-'))
  provide('permissions', permissions)
  const text = 'the owner of every test world'
  provide('password', { text, hash: await hashPassword(text) })
  const dynamodb = await startDynamodb()
  provide('dynamodb', dynamodb.endpoint)
  return async () => {
    await dynamodb.stop()
    for (const folder of [permissions, patientAssembly]) await rm(folder, { recursive: true, force: true })
  }
}
