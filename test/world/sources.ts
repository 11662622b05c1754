// Hashes the sources of the stack, to detect whether a build is up to date.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const FOLDERS = ['infra', 'shared', 'functions']
const FILES = ['package.json', 'package-lock.json', 'cdk.json', 'tsconfig.json']

/** A hash over the paths and contents of all sources. */
export async function hashSources(project: string): Promise<string> {
  const hash = createHash('sha256')
  const inFolders = await Promise.all(FOLDERS.map(folder => filesIn(project, folder)))
  for (const path of [...inFolders.flat(), ...FILES].sort()) {
    const content = await readFile(join(project, path)).catch(() => '')
    hash.update(`${path}\n${content.length}\n`).update(content)
  }
  return hash.digest('hex').slice(0, 16)
}

async function filesIn(project: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(project, folder), { recursive: true, withFileTypes: true })
  return entries
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(project.length))
}
