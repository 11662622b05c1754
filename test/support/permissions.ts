// Records which permissions the functions of each test file used. The last test reads all records.
import { randomUUID } from 'node:crypto'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject } from 'vitest'
import * as z from 'zod/mini'
import type { AccessRecord } from '../../infra/local/access.ts'
import { PROGRAMS } from '../programs.ts'

const PermissionRecord = z.object({
  file: z.string(),
  granted: z.array(z.string()),
  used: z.array(z.string()),
})

/** Throws if a call was denied. Tests that expect a denial run a template of their own. */
export async function recordPermissions({ granted, used, denied }: AccessRecord): Promise<void> {
  if (denied.length > 0) {
    const missing = [...new Set(denied)].join('\n')
    throw new Error(`Calls were denied. Add these permissions to shared/service/:\n${missing}`)
  }
  const record = { file: expect.getState().testPath ?? '', granted: [...granted], used: [...used] }
  await writeFile(join(inject('permissions'), `${randomUUID()}.json`), JSON.stringify(record))
}

const root = new URL('../..', import.meta.url).pathname

const IMPORTS_WORLD = /import \{[^}]*\b(?:openWorld|useWorld)\b[^}]*\} from '[^']*support\/world\.ts'/

/** `missing`: test files that open a world but left no record, so that `unused` is not known. */
export function readPermissions() {
  const folder = inject('permissions')
  const all = readdirSync(folder).map(name =>
    PermissionRecord.parse(JSON.parse(readFileSync(join(folder, name), 'utf8'))),
  )
  const reported = new Set(all.map(({ file }) => file))
  const openers = globSync('test/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**', ...PROGRAMS] })
    .map(file => join(root, file))
    .filter(file => IMPORTS_WORLD.test(readFileSync(file, 'utf8')))
  const used = new Set(all.flatMap(record => record.used))
  const granted = new Set(all.flatMap(record => record.granted))
  return {
    missing: openers.filter(file => !reported.has(file)),
    unused: [...granted].filter(name => !used.has(name)).sort(),
  }
}
