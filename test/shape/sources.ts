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
  const specifiers = [...text.matchAll(IMPORT)].map(match => match[1] ?? match[2] ?? '')
  const isOwn = (specifier: string) => specifier.startsWith('.')
  return {
    path,
    text,
    imports: specifiers.filter(isOwn).map(specifier => posix.join(posix.dirname(path), specifier)),
    packages: specifiers.filter(specifier => !isOwn(specifier)),
  }
}

function filesIn(folder: string): string[] {
  return readdirSync(join(project, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && /\.c?ts$|\.cjs$/.test(entry.name))
    .map(entry => posix.join(entry.parentPath.slice(project.length).replaceAll('\\', '/'), entry.name))
    .filter(path => !/\/(?:node_modules|\.[^/]+)\//.test(path))
    .sort()
}

/** The sources with their tests, and with the launcher, which is older JavaScript. */
export const allFiles: Source[] = ['functions', 'infra', 'shared', 'test'].flatMap(filesIn).map(read)

export const sources = allFiles.filter(({ path }) => path.endsWith('.ts') && !path.startsWith('test/'))

/** These files and every file they import, directly or not. */
export function withImports(entries: string[]): Set<string> {
  const reached = new Set(entries)
  const bySource = new Map(sources.map(source => [source.path, source]))
  // The loop also visits what is added to the set while it runs.
  for (const path of reached) for (const next of bySource.get(path)?.imports ?? []) reached.add(next)
  return reached
}
