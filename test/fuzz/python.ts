// The command of schemathesis, which is installed on the first run.
import { join } from 'node:path'
import { installPython } from '../world/python.ts'

const requirements = new URL('requirements.txt', import.meta.url).pathname

/** Prints the reason and returns undefined without a suitable Python. */
export function schemathesis(): string | undefined {
  const scripts = installPython({ name: 'schemathesis', folder: 'fuzz', requirements })
  return scripts && join(scripts, 'schemathesis')
}
