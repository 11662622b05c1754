// An export of this service as a source. The file is read once to the end before any of it is imported.
import { OperatorError } from '../../command.ts'
import { digestOf, End, ExportRecord, FORMAT_VERSION, Header, keyOf, labelOf, SHAPES } from '../format.ts'
import { readLines } from './files.ts'
import {
  cutOff,
  type Entry,
  problemOf,
  type Source,
  type SourceOptions,
  type UnusableRecord,
} from './source.ts'

/** Throws OperatorError if the file is no export, one of a later version, or cut off. */
export async function openOwn(file: string, { partial = false }: SourceOptions): Promise<Source> {
  let header: ReturnType<typeof Header.parse> | undefined
  let expected: number | undefined
  let [count, last] = [0, 'none']
  for await (const { number, json } of readJson(file)) {
    if (number === 1) {
      header = Header.safeParse(json).data
      if (header?.version === FORMAT_VERSION) continue
      break
    }
    if (expected !== undefined) {
      throw new OperatorError(`${file} goes on behind its last line: import one export after the other.`)
    }
    expected = End.safeParse(json).data?.records
    if (expected !== undefined) continue
    count++
    const { type, id = '' }: Record<string, unknown> = Object(json)
    if (type) last = `${type} ${id}`
  }
  if (!header) {
    throw new OperatorError(`${file} is no export of this service: its first line is no header of one.`)
  }
  const { version, site } = header
  if (version !== FORMAT_VERSION) {
    throw new OperatorError(
      `${file} has version ${version} of the format, and this program reads ${FORMAT_VERSION}. Import it with a newer version of this program.`,
    )
  }
  // Without its last line, or with fewer records than that says.
  if (!partial && count < (expected ?? Number.POSITIVE_INFINITY)) throw cutOff(file, last)
  const [name, label] = [`own:${site}`, 'an export of this service']
  return { name, label, count, entries: () => readEntries(file) }
}

type JsonLine = { number: number; json?: unknown; problem?: string }

async function* readJson(file: string): AsyncGenerator<JsonLine> {
  for await (const line of readLines(file)) {
    const { number } = line
    if ('text' in line && line.text.trim() === '') continue
    try {
      yield 'text' in line ? { number, json: JSON.parse(line.text.replace(/^\ufeff/, '')) } : line
    } catch {
      yield { number, problem: 'Is no JSON.' }
    }
  }
}

async function* readEntries(file: string): AsyncGenerator<Entry | UnusableRecord> {
  for await (const { number, json, problem } of readJson(file)) {
    if (number === 1) continue
    if (End.safeParse(json).success) break
    const { data: record, error } = ExportRecord.safeParse(json)
    if (record) {
      yield { key: keyOf(record), record, notes: [], digest: digestOf(record) }
      continue
    }
    const { type }: Record<string, unknown> = Object(json)
    const [kind, name] = SHAPES.has(type)
      ? [String(type), ` (${labelOf(Object(json)).slice(0, 100)})`]
      : ['record', '']
    yield { outcome: 'wrong', kind, label: `line ${number}${name}`, reason: problem ?? problemOf(error) }
  }
}
