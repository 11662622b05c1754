// Compiles a TypeScript client against types that are generated from the document.
import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import openapiTS, { astToString } from 'openapi-typescript'
import { expect, it, onTestFinished } from 'vitest'
import { apiDocument } from '../../shared/openapi/document.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

it('compiles a client that reads, writes and receives events with types generated from the document', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'client-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const types = await openapiTS(JSON.stringify(apiDocument('1.0.0')))
  await writeFile(join(folder, 'api.ts'), astToString(types))
  await copyFile(join(project, 'test/openapi/client.txt'), join(folder, 'client.ts'))
  const typeRoots = [join(project, 'node_modules/@types')]
  const tsconfig = { extends: join(project, 'tsconfig.json'), compilerOptions: { typeRoots }, include: ['.'] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')

  const { stdout } = await run(join(project, 'node_modules/.bin/tsc'), ['-p', folder]).catch(error => error)
  expect(stdout).toBe('')
})
