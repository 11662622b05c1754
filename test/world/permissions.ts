// Records which permissions the functions of each world used, for the last test, which reads all records.
import { randomUUID } from 'node:crypto'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject } from 'vitest'
import * as z from 'zod/mini'
import type { Access } from '../../infra/local/access/access.ts'

const PermissionRecord = z.object({
  file: z.string(),
  granted: z.array(z.string()),
  used: z.array(z.string()),
})

/** Throws if a call was denied. A test that expects that runs its own template. */
export async function recordPermissions({
  granted,
  used,
  denied,
}: Pick<Access, 'granted' | 'used' | 'denied'>): Promise<void> {
  if (denied.length > 0) throw new Error(`Missing in shared/service/:\n${[...new Set(denied)].join('\n')}`)
  const record = { file: expect.getState().testPath ?? '', granted: [...granted], used: [...used] }
  await writeFile(join(inject('permissions'), `${randomUUID()}.json`), JSON.stringify(record))
}

const testFolder = new URL('..', import.meta.url).pathname

/** While test files that open a world are `missing`, a permission without use may still be needed. */
export function readPermissions() {
  const folder = inject('permissions')
  const all = readdirSync(folder).map(name =>
    PermissionRecord.parse(JSON.parse(readFileSync(join(folder, name), 'utf8'))),
  )
  const reported = new Set(all.map(({ file }) => file))
  const opening = globSync('**/*.test.ts', { cwd: testFolder, exclude: ['**/node_modules/**'] })
    .map(file => join(testFolder, file))
    .filter(file => readFileSync(file, 'utf8').includes('await openWorld('))
  const used = new Set(all.flatMap(record => record.used))
  const granted = new Set(all.flatMap(record => record.granted))
  return {
    missing: opening.filter(file => !reported.has(file)),
    unused: [...granted].filter(name => !used.has(name)).sort(),
  }
}
