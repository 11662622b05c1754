// Finds the READMEs of the project and their pages, and reads their commands, links, anchors and inline code.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

/** `path` is relative to the project: `README.md`, `infra/local/README.md`. */
export type Readme = { path: string; text: string }

const NOT_OURS = new Set(['node_modules', 'cdk.out', 'samples'])

/** The front page first, then the READMEs of the rooms, by path. */
export const READMES: Readme[] = readmePathsIn('')
  .sort((a, b) => Number(a.includes('/')) - Number(b.includes('/')) || (a < b ? -1 : 1))
  .map(path => ({ path, text: readFileSync(join(PROJECT, path), 'utf8') }))

export function readmeAt(path: string): Readme {
  const readme = READMES.find(candidate => candidate.path === path)
  if (!readme) throw new Error(`There is no ${path}.`)
  return readme
}

function readmePathsIn(folder: string): string[] {
  return readdirSync(join(PROJECT, folder), { withFileTypes: true }).flatMap(entry => {
    const path = folder ? `${folder}/${entry.name}` : entry.name
    if (entry.isFile() && entry.name.endsWith('.md')) return [path]
    const isOurs = entry.isDirectory() && !entry.name.startsWith('.') && !NOT_OURS.has(entry.name)
    return isOurs ? readmePathsIn(path) : []
  })
}

const FENCED = /^```(\w*)\n(.*?)^```$/gms

/** The fenced blocks of a language, in their order. */
export function blocksOf({ text }: Readme, language: string): string[] {
  return [...text.matchAll(FENCED)].flatMap(([, name, block]) =>
    name === language && block ? [block.trim()] : [],
  )
}

function proseOf({ text }: Readme): string {
  return text.replaceAll(FENCED, '')
}

/** The targets of all links outside of code: `infra/README.md#deploy`, `https://example.com`. */
export function linksOf(readme: Readme): string[] {
  const prose = proseOf(readme).replaceAll(/`[^`\n]*`(?!\])/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
}

/** The anchors that GitHub gives to the headings of a Markdown text. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of text.replaceAll(FENCED, '').matchAll(/^#{1,6} +(.+)$/gm)) {
    const words = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    const anchor = words.trim().replaceAll(/\s/g, '-')
    let name = anchor
    for (let n = 1; anchors.has(name); n++) name = `${anchor}-${n}`
    anchors.add(name)
  }
  return anchors
}

/** The texts between single backticks, without line breaks. */
export function inlineCodeOf(readme: Readme): string[] {
  return [...proseOf(readme).matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll(/\s+/g, ' '))
}

/** Each line of the `sh` blocks; a line that ends with a backslash goes on with the next. */
export function commandsOf(readme: Readme): string[] {
  return blocksOf(readme, 'sh').flatMap(block => block.replaceAll('\\\n', ' ').split('\n'))
}

/** All shell commands of a README: in blocks, then in sentences. */
export function allCommandsOf(readme: Readme): string[] {
  return [...commandsOf(readme), ...inlineCodeOf(readme)]
}
