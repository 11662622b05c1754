// An export of this service as a source. The file is read once to the end before any of it is imported.
import { OperatorError } from '../../command.ts'
import { digestOf, End, ExportRecord, FORMAT_VERSION, Header, SHAPES } from '../format.ts'
import { type Line, readLines } from './files.ts'
import { type Entry, problemOf, type Source, type SourceOptions, type Unusable } from './source.ts'

/** Throws OperatorError if the file is no export, one of a later version, or cut off. */
export async function openOwn(file: string, { partial = false }: SourceOptions): Promise<Source> {
  let header: ReturnType<typeof headerOf> | undefined
  let [count, last] = [0, '']
  for await (const line of readLines(file)) {
    if (!header) {
      header = headerOf(line, file)
      continue
    }
    const end = endOf(line)
    if (end && end.records > count && !partial) {
      throw new OperatorError(
        `${file} has ${count} of its ${end.records} records. Export again, or add --partial.`,
      )
    }
    if (end) return sourceOf(file, header.site, count)
    count++
    if ('text' in line && line.text.endsWith('}')) last = line.text
  }
  if (header && partial) return sourceOf(file, header.site, count)
  if (!header) throw noExport(file)
  const { type = 'none', id }: Record<string, unknown> = Object(jsonOf({ number: 0, text: last || '{}' }))
  throw new OperatorError(
    `${file} was cut off: it has no last line. Its last whole record is ${type}${id === undefined ? '' : ` ${id}`}. Nothing was imported. Export again, or add --partial to import what it has.`,
  )
}

function sourceOf(file: string, site: string, count: number): Source {
  return {
    name: `own:${site}`,
    label: 'an export of this service',
    site,
    count,
    entries: () => readEntries(file),
  }
}

function headerOf(line: Line, file: string) {
  const { data } = Header.safeParse(jsonOf(line))
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

function jsonOf(line: Line): unknown {
  if (!('text' in line)) return undefined
  try {
    return JSON.parse(line.text.replace(/^\ufeff/, ''))
  } catch {
    return undefined
  }
}

const END = /^\s*\{\s*"type"\s*:\s*"end"/

function endOf(line: Line) {
  return 'text' in line && END.test(line.text) ? End.safeParse(jsonOf(line)).data : undefined
}

async function* readEntries(file: string): AsyncGenerator<Entry | Unusable> {
  for await (const line of readLines(file)) {
    if (line.number === 1) continue
    if (endOf(line)) break
    const json = jsonOf(line)
    const { data, error } = ExportRecord.safeParse(json)
    if (data) {
      yield { key: keyOf(data), record: data, notes: [], digest: digestOf(data) }
    } else {
      yield unusable(line, json, problemOf(error))
    }
  }
}

function keyOf(record: ExportRecord): string {
  if (record.type === 'settings') return 'settings'
  return `${record.type}:${record.type === 'menu' ? record.location : record.id}`
}

const LONGEST_NAME = 100

function unusable(line: Line, json: unknown, problem: string): Unusable {
  const { type, id, slug, email }: Record<string, unknown> = Object(json)
  const name = [slug, email, id].find(value => typeof value === 'string' || typeof value === 'number')
  return {
    kind: SHAPES.has(type) ? String(type) : 'record',
    label: `line ${line.number}${name === undefined ? '' : ` (${String(name).slice(0, LONGEST_NAME)})`}`,
    problem: 'problem' in line ? line.problem : json === undefined ? 'Is no JSON.' : problem,
    isWrong: true,
  }
}
