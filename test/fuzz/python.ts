// Installs schemathesis in its own virtual environment, on the first run and when its pinned versions change.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const REQUIREMENTS = new URL('requirements.txt', import.meta.url).pathname
const ENVIRONMENT = new URL('../../.local/fuzz', import.meta.url).pathname
const INSTALLED = join(ENVIRONMENT, 'installed.txt')
/** The oldest Python that the pinned versions support. */
const OLDEST = '3.10'
const IS_NEW_ENOUGH = `import sys, venv, ensurepip; sys.exit(sys.version_info < (${OLDEST.replace('.', ', ')}))`

function canRun(command: string): boolean {
  try {
    execFileSync(command, ['-c', IS_NEW_ENOUGH], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** The command of schemathesis. Prints the reason and returns undefined without a suitable Python. */
export function schemathesis(): string | undefined {
  const python = [process.env.PYTHON, 'python3', 'python'].find(name => name !== undefined && canRun(name))
  if (python === undefined) {
    console.log(`Skipped: schemathesis needs Python ${OLDEST} or newer with venv. Set PYTHON to its command.`)
    return undefined
  }
  const scripts = join(ENVIRONMENT, process.platform === 'win32' ? 'Scripts' : 'bin')
  const requirements = readFileSync(REQUIREMENTS, 'utf8')
  if (!existsSync(INSTALLED) || readFileSync(INSTALLED, 'utf8') !== requirements) {
    console.log('Installing schemathesis into .local/fuzz (once) …')
    rmSync(ENVIRONMENT, { recursive: true, force: true })
    execFileSync(python, ['-m', 'venv', ENVIRONMENT], { stdio: 'inherit' })
    execFileSync(join(scripts, 'pip'), ['install', '--quiet', '--requirement', REQUIREMENTS], {
      stdio: 'inherit',
    })
    writeFileSync(INSTALLED, requirements)
  }
  return join(scripts, 'schemathesis')
}
