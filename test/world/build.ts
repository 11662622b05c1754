// Once for all test files: the stack as it is now, synthesized and bundled, and one hashed password.
import type { TestProject } from 'vitest/node'
import { buildAssembly } from '../../infra/local/build.ts'
import { hashPassword } from '../../shared/accounts/password.ts'

declare module 'vitest' {
  interface ProvidedContext {
    assembly: string
    /** The owner's in every world: hashing one takes a third of a second of a core. */
    password: { text: string; hash: string }
  }
}

export default async ({ provide }: TestProject): Promise<void> => {
  provide('assembly', await buildAssembly({ log: line => process.stderr.write(`${line}\n`) }))
  const text = 'the owner of every test world'
  provide('password', { text, hash: await hashPassword(text) })
}
