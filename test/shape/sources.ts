// The sources of the project, and what each file imports.
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const project = fileURLToPath(new URL('../..', import.meta.url))

export type Source = {
  /** From the project's folder, with slashes: `shared/posts/store/posts.ts`. */
  path: string
  text: string
  /** Files of the project, by the same kind of path. */
  imports: string[]
  /** Everything else: packages and Node's own modules. */
  packages: string[]
}

const IMPORT = /^(?:import|export)\s(?:[^'"`;]*?\sfrom\s)?'([^']+)'|\bimport\(\s*'([^']+)'/gm

function read(path: string): Source {
  const text = readFileSync(join(project, path), 'utf8')
  const named = [...text.matchAll(IMPORT)].map(match => match[1] ?? match[2] ?? '')
  const isOwn = (name: string) => name.startsWith('.')
  return {
    path,
    text,
    imports: named.filter(isOwn).map(name => posix.join(posix.dirname(path), name)),
    packages: named.filter(name => !isOwn(name)),
  }
}

function filesIn(folder: string): string[] {
  return readdirSync(join(project, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.ts'))
    .map(entry => posix.join(entry.parentPath.slice(project.length).replaceAll('\\', '/'), entry.name))
}

export const sources: Source[] = ['functions', 'infra', 'shared'].flatMap(filesIn).sort().map(read)

/** The files that these import, and those that they import, and so on; themselves included. */
export function withImports(entries: string[]): Set<string> {
  const reached = new Set(entries)
  const bySource = new Map(sources.map(source => [source.path, source]))
  // A set grows while it is walked.
  for (const path of reached) for (const next of bySource.get(path)?.imports ?? []) reached.add(next)
  return reached
}
