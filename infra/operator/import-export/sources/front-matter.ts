// The front matter of a file of Hugo, Jekyll, Eleventy or Astro: YAML, TOML or JSON above the text.
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'

export type Members = Record<string, unknown>
export type FrontMatter = { members: Members; text: string }

/** A parser's time grows faster than a text with as many keys or brackets. */
const LONGEST = 200_000
const FENCE = /^(---|\+\+\+)([a-z]*)[ \t]*$/

/** Throws if the front matter cannot be read. */
export function readFrontMatter(file: string): FrontMatter {
  const text = file.replaceAll(/\r\n?/g, '\n')
  const firstEnd = text.indexOf('\n')
  const first = firstEnd < 0 ? text : text.slice(0, firstEnd)
  const [, fence, language = ''] = FENCE.exec(first) ?? []
  if (fence !== undefined) return fenced(text, firstEnd, fence, language)
  return first.trimEnd() === '{' ? braced(text) : { members: {}, text }
}

function fenced(text: string, firstEnd: number, fence: string, language: string): FrontMatter {
  const lines = firstEnd < 0 ? [] : text.slice(firstEnd + 1).split('\n')
  const last = lines.findIndex(line => line.startsWith(fence) && line.trimEnd() === fence)
  if (last < 0) throw new Error(`it has no end: ${fence}`)
  const members = parse(lines.slice(0, last).join('\n'), fence === '+++' ? 'toml' : language || 'yaml')
  return { members, text: lines.slice(last + 1).join('\n') }
}

/** A JSON object that ends with a brace in the first column, as Hugo writes it. */
function braced(text: string): FrontMatter {
  const end = text.indexOf('\n}')
  if (end < 0) throw new Error('it has no end: }')
  const afterEnd = text.indexOf('\n', end + 1)
  const rest = afterEnd < 0 ? '' : text.slice(afterEnd + 1)
  return { members: parse(text.slice(0, end + 2), 'json'), text: rest }
}

function parse(head: string, language: string): Members {
  if (head.length > LONGEST) throw new Error(`it has more than ${LONGEST / 1000} kB`)
  const parsed = parseAs(head, language)
  const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
  if (!isObject && parsed !== null) throw new Error('it has no names')
  return { ...parsed }
}

function parseAs(head: string, language: string): unknown {
  switch (language) {
    case 'yaml':
    case 'yml':
      return parseYaml(head, { uniqueKeys: false, logLevel: 'error' })
    case 'toml':
      return parseToml(head)
    case 'json':
      return JSON.parse(head)
    default:
      throw new Error(`it is a program in ${language}, and only data is read`)
  }
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
export function namesOf(value: unknown, hasWords: boolean): string[] {
  if (typeof value === 'number') return [String(value)]
  if (typeof value === 'string') {
    const parts = hasWords ? value.split(value.includes(',') ? ',' : /\s+/) : [value]
    return parts.map(part => part.trim()).filter(part => part !== '')
  }
  return Array.isArray(value) ? value.flatMap(name => (Array.isArray(name) ? [] : namesOf(name, false))) : []
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
