// Once for all test files: the stack as it is now, synthesized and bundled.
import type { TestProject } from 'vitest/node'
import { buildAssembly } from '../../infra/local/build.ts'

declare module 'vitest' {
  interface ProvidedContext {
    assembly: string
  }
}

export default async ({ provide }: TestProject): Promise<void> => {
  provide('assembly', await buildAssembly({ log: line => process.stderr.write(`${line}\n`) }))
}
