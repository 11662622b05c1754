// An export of this service as a source. The file is read once to the end before any of it is imported.
import { OperatorError } from '../../command.ts'
import { digestOf, End, ExportRecord, FORMAT_VERSION, Header, labelOf, SHAPES } from '../format.ts'
import { type Line, readLines } from './files.ts'
import { type Entry, problemOf, type Source, type SourceOptions, type Unusable } from './source.ts'

/** Throws OperatorError if the file is no export, one of a later version, or cut off. */
export async function openOwn(file: string, { partial = false }: SourceOptions): Promise<Source> {
  let header: ReturnType<typeof headerOf> | undefined
  let end: ReturnType<typeof endOf>
  let [count, last] = [0, 'none']
  for await (const line of readLines(file)) {
    if (!header) {
      header = headerOf(line, file)
      continue
    }
    end = endOf(line)
    if (end) break
    count++
    if ('text' in line && line.text.endsWith('}')) last = line.text
  }
  if (!header) throw noExport(file)
  if (!end && !partial) {
    const { type, id = '' }: Record<string, unknown> = Object(jsonOf(last))
    throw new OperatorError(
      `${file} was cut off: it has no last line. Its last whole record is ${type ?? last} ${id}. Nothing was imported. Export again, or add --partial to import what it has.`,
    )
  }
  if (end && end.records > count && !partial) {
    throw new OperatorError(
      `${file} has ${count} of its ${end.records} records. Export again, or add --partial.`,
    )
  }
  const { site } = header
  const label = 'an export of this service'
  return { name: `own:${site}`, label, site, count, entries: () => readEntries(file) }
}

function headerOf(line: Line, file: string) {
  const { data } = Header.safeParse('text' in line ? jsonOf(line.text) : undefined)
  if (!data) throw noExport(file)
  if (data.version > FORMAT_VERSION) {
    throw new OperatorError(
      `${file} has version ${data.version} of the format, and this program reads up to ${FORMAT_VERSION}. Import it with a newer version of this program.`,
    )
  }
  return data
}

function noExport(file: string): OperatorError {
  return new OperatorError(`${file} is no export of this service: its first line is no header of one.`)
}

/** Undefined for what is no JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
}

const END = /^\s*\{\s*"type"\s*:\s*"end"/

function endOf(line: Line) {
  return 'text' in line && END.test(line.text) ? End.safeParse(jsonOf(line.text)).data : undefined
}

async function* readEntries(file: string): AsyncGenerator<Entry | Unusable> {
  for await (const line of readLines(file)) {
    if (line.number === 1) continue
    if (endOf(line)) break
    const json = 'text' in line ? jsonOf(line.text) : undefined
    const { data: record, error } = ExportRecord.safeParse(json)
    if (record) {
      yield { key: keyOf(record), record, notes: [], digest: digestOf(record) }
    } else {
      const { type }: Record<string, unknown> = Object(json)
      const isKnown = SHAPES.has(type)
      yield {
        kind: isKnown ? String(type) : 'record',
        label: `line ${line.number}${isKnown ? ` (${labelOf(Object(json)).slice(0, LONGEST_NAME)})` : ''}`,
        problem: 'problem' in line ? line.problem : json === undefined ? 'Is no JSON.' : problemOf(error),
        isWrong: true,
      }
    }
  }
}

const LONGEST_NAME = 100

function keyOf(record: ExportRecord): string {
  if (record.type === 'settings') return 'settings'
  return `${record.type}:${record.type === 'menu' ? record.location : record.id}`
}
