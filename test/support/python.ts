// Installs pinned Python packages below .local, on the first run and when the pins change.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

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

/** `requirements` is the path of a requirements.txt; `folder` is the environment's name below .local. */
type Installation = { name: string; folder: string; requirements: string }

/** The folder of its commands. Prints the reason and returns undefined without a suitable Python or PyPI. */
export function installPython({ name, folder, requirements }: Installation): string | undefined {
  const python = [process.env.PYTHON, 'python3', 'python'].find(
    command => command !== undefined && canRun(command),
  )
  if (python === undefined) {
    console.log(`Skipped: ${name} needs Python ${OLDEST} or newer with venv. Set PYTHON to its command.`)
    return undefined
  }
  const environment = new URL(`../../.local/${folder}`, import.meta.url).pathname
  const installed = join(environment, 'installed.txt')
  const scripts = join(environment, process.platform === 'win32' ? 'Scripts' : 'bin')
  const pins = readFileSync(requirements, 'utf8')
  if (!existsSync(installed) || readFileSync(installed, 'utf8') !== pins) {
    console.log(`Installing ${name} into .local/${folder} (once) …`)
    rmSync(environment, { recursive: true, force: true })
    try {
      execFileSync(python, ['-m', 'venv', environment], { stdio: 'inherit' })
      execFileSync(join(scripts, 'pip'), ['install', '--quiet', '--requirement', requirements], {
        stdio: 'inherit',
      })
    } catch {
      console.log(`Skipped: ${name} could not be installed. Check the connection to PyPI, and run it again.`)
      return undefined
    }
    writeFileSync(installed, pins)
  }
  return scripts
}
