// The front matter of a file of Hugo, Jekyll, Eleventy or Astro: YAML, TOML or JSON above the text.
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'

export type Members = Record<string, unknown>
/** `isDoubtful`: it has none, and begins like one. */
type FrontMatter = { members: Members; text: string; isDoubtful?: boolean }

/** A parser's time grows faster than a text with as many keys or brackets. */
const LONGEST = 200_000
const FIRST_LINE = /^(---|\+\+\+)([a-z]*)[ \t]*$/i
/** JSON without a fence; other braces are tags of templates. */
const JSON_START = /^\{\s*["}]/
const DOUBTFUL = /^(?:---|\+\+\+)|^(?:.*\n){0,9}[ \t]*["']?(?:draft|published|title)["']?[ \t]*[:=]/i

/** Throws if the front matter cannot be read. */
export function readFrontMatter(file: string): FrontMatter {
  const whole = file.replaceAll(/\r\n?/g, '\n')
  // Hugo and Astro skip empty lines above it.
  const text = whole.trimStart()
  if (JSON_START.test(text)) {
    const end = endOfJson(text)
    return { members: parse(text.slice(0, end), 'json'), text: text.slice(end) }
  }
  const [first = '', ...lines] = text.split('\n')
  const [, fence, named = ''] = FIRST_LINE.exec(first) ?? []
  if (fence === undefined) return { members: {}, text: whole, isDoubtful: DOUBTFUL.test(text) }
  const language = named.toLowerCase() || (fence === '+++' ? 'toml' : 'yaml')
  // Jekyll takes the end of a document of YAML, too.
  const isEnd = (line: string) => line === fence || (language === 'yaml' && line === '...')
  const last = lines.findIndex(line => isEnd(line.trimEnd()))
  if (last < 0) throw new Error(`it has no end: ${fence}`)
  return { members: parse(lines.slice(0, last).join('\n'), language), text: lines.slice(last + 1).join('\n') }
}

/** Behind the brace that closes the first one. */
function endOfJson(text: string): number {
  let depth = 0
  for (const { 0: found, index } of text.matchAll(/"(?:[^"\\\n]|\\.)*"|[{}]/g)) {
    depth += found === '{' ? 1 : found === '}' ? -1 : 0
    if (depth === 0) return index + 1
  }
  throw new Error('it has no end: }')
}

const TOML_DATE = /^([\w.-]+[ \t]*=[ \t]*)(\d{4}-\d\d-\d\d[^\s#]*(?: \d\d:[^\s#]+)?)/gm

function yaml(head: string): unknown {
  return parseYaml(head, { uniqueKeys: false, merge: true, logLevel: 'error' })
}

const PARSERS = new Map<string, (head: string) => unknown>([
  ['yaml', yaml],
  ['yml', yaml],
  // The parser takes 30 February for 2 March, so dates stay texts.
  ['toml', head => parseToml(head.replaceAll(TOML_DATE, '$1"$2"'))],
  ['json', JSON.parse],
])

function parse(head: string, language: string): Members {
  const parser = PARSERS.get(language)
  if (!parser) throw new Error(`it is a program in ${language}, and only data is read`)
  if (head.length > LONGEST) throw new Error(`it has more than ${LONGEST / 1000} kB`)
  const parsed = parser(head)
  if (Array.isArray(parsed) || typeof parsed !== 'object') throw new Error('it has no names')
  // Hugo's names have no case.
  return Object.fromEntries(Object.entries(parsed ?? {}).map(([name, value]) => [name.toLowerCase(), value]))
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

const YES = /^(?:true|yes|y|on|1)$/i
const NO = /^(?:false|no|n|off|0)$/i

/** Booleans of YAML 1.1 and 1.2, also in quotes. `unclear`: neither. */
export function isSet(value: unknown): boolean | 'unclear' | undefined {
  if (value === undefined || value === null || value === '') return undefined
  const text = String(value).trim()
  return YES.test(text) || (NO.test(text) ? false : 'unclear')
}
