// The front matter of a file of Hugo, Jekyll, Eleventy or Astro: YAML, TOML or JSON above the text.
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'

export type Members = Record<string, unknown>
type FrontMatter = { members: Members; text: string }

/** A parser's time grows faster than a text with as many keys or brackets. */
const LONGEST = 200_000
const FIRST_LINE = /^(---|\+\+\+|\{(?=[ \t]*$))([a-z]*)[ \t]*$/

/** Throws if the front matter cannot be read. JSON may also be an object whose braces are the fences. */
export function readFrontMatter(file: string): FrontMatter {
  const text = file.replaceAll(/\r\n?/g, '\n')
  const [first = '', ...lines] = text.split('\n')
  const [, fence, language] = FIRST_LINE.exec(first) ?? []
  if (fence === undefined) return { members: {}, text }
  const end = fence === '{' ? '}' : fence
  const last = lines.findIndex(line => line.startsWith(end) && line.trimEnd() === end)
  if (last < 0) throw new Error(`it has no end: ${end}`)
  const head = lines.slice(0, last).join('\n')
  const members =
    fence === '{' ? parse(`{${head}}`, 'json') : parse(head, fence === '+++' ? 'toml' : language || 'yaml')
  return { members, text: lines.slice(last + 1).join('\n') }
}

function yaml(head: string): unknown {
  return parseYaml(head, { uniqueKeys: false, logLevel: 'error' })
}

const PARSERS = new Map<string, (head: string) => unknown>([
  ['yaml', yaml],
  ['yml', yaml],
  ['toml', parseToml],
  ['json', JSON.parse],
])

function parse(head: string, language: string): Members {
  const parser = PARSERS.get(language)
  if (!parser) throw new Error(`it is a program in ${language}, and only data is read`)
  if (head.length > LONGEST) throw new Error(`it has more than ${LONGEST / 1000} kB`)
  const parsed = parser(head)
  if (Array.isArray(parsed) || typeof parsed !== 'object') throw new Error('it has no names')
  return { ...parsed }
}

/** The first of these members with a text; numbers count as texts. */
export function textOf(members: Members, ...names: string[]): string {
  for (const name of names) {
    const value = members[name]
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
    if (typeof value === 'number') return String(value)
  }
  return ''
}

/** A name, or a list of names. `hasWords`: a text is a list of words, as Jekyll's plural members are. */
export function namesOf(value: unknown, hasWords = false): string[] {
  if (typeof value === 'number') return [String(value)]
  if (typeof value === 'string') {
    const parts = hasWords ? value.split(value.includes(',') ? ',' : /\s+/) : [value]
    return parts.map(part => part.trim()).filter(part => part !== '')
  }
  return Array.isArray(value) ? value.flatMap(name => (Array.isArray(name) ? [] : namesOf(name))) : []
}

const YES = new Set(['true', 'yes', 'y', 'on', '1'])
const NO = new Set(['false', 'no', 'n', 'off', '0'])

/** Booleans of YAML 1.1 and 1.2, also in quotes. `unclear`: neither. */
export function isSet(value: unknown): boolean | 'unclear' | undefined {
  if (value === undefined || value === null || value === '') return undefined
  const text = String(value).trim().toLowerCase()
  if (YES.has(text)) return true
  return NO.has(text) ? false : 'unclear'
}
