// An export of this service as a source.
import { COUNTERS } from '../../../../shared/table/kinds.ts'
import { OperatorError } from '../../operator-error.ts'
import { End, ExportRecord, FORMAT_VERSION, Header, LARGEST_ID } from '../format.ts'
import type { Item, Source, Unusable } from '../item.ts'
import { readLines } from './lines.ts'

/** Throws OperatorError if the file is no export, or one of a later version. */
export async function openOwn(file: string): Promise<Source> {
  const { site, version, exported_at: _, last_ids } = await readHeader(file)
  if (version > FORMAT_VERSION) {
    throw new OperatorError(
      `${file} has version ${version} of the format, and this program reads up to ${FORMAT_VERSION}. Import it with a newer version of this program.`,
    )
  }
  return {
    name: `own:${site}`,
    label: `an export of this service`,
    site,
    lastIds: Object.fromEntries(
      COUNTERS.map(counter => [counter, Math.min(LARGEST_ID, last_ids[counter] ?? 0)]),
    ),
    count: undefined,
    items: () => readItems(file),
  }
}

async function readHeader(file: string) {
  for await (const line of readLines(file)) {
    const { data } = Header.safeParse(jsonOf(line))
    if (data) return data
    break
  }
  throw new OperatorError(`${file} is no export of this service: its first line is no header of one.`)
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Throws OperatorError after the last item if the file was cut off. */
async function* readItems(file: string): AsyncGenerator<Item | Unusable> {
  let number = 0
  let isComplete = false
  for await (const line of readLines(file)) {
    number++
    if (number === 1) continue
    const json = jsonOf(line)
    if (End.safeParse(json).success) {
      isComplete = true
      break
    }
    const { data, error } = ExportRecord.safeParse(json)
    yield data ? itemOf(data) : unusable(number, json, error)
  }
  if (!isComplete) {
    throw new OperatorError(
      `${file} was cut off: it has no last line. What it contains was imported. Export again, and import that.`,
    )
  }
}

type Issues = { issues: { path: PropertyKey[]; message: string }[] }

function unusable(number: number, json: unknown, { issues }: Issues): Unusable {
  const { type, id, slug, email }: Record<string, unknown> = Object(json)
  const problem = issues.map(({ path, message }) => `${path.join('.') || 'the line'}: ${message}`).join(' ')
  const name = [slug, email, id].find(value => value !== undefined)
  return {
    kind: typeof type === 'string' ? type : 'record',
    label: `line ${number}${name === undefined ? '' : ` (${String(name)})`}`,
    problem,
    isWrong: true,
  }
}

function userKey(id: number) {
  return `user:${id}`
}

function itemOf(record: ExportRecord): Item {
  switch (record.type) {
    case 'settings': {
      const { type: kind, ...value } = record
      return { kind, key: 'settings', label: 'settings', value }
    }
    case 'menu': {
      const { type: kind, ...value } = record
      return { kind, key: `menu:${value.location}`, label: value.location, value }
    }
    case 'category': {
      const { type: kind, id, ...value } = record
      return { kind, key: `category:${id}`, id, label: value.slug, value }
    }
    case 'user': {
      const { type: kind, id, ...value } = record
      return { kind, key: userKey(id), id, label: value.email, value }
    }
    case 'post': {
      const { type: kind, id, author_id, category_ids, ...value } = record
      const categories = category_ids.map(id => `category:${id}`)
      return { kind, key: `post:${id}`, id, label: value.slug, author: userKey(author_id), categories, value }
    }
    case 'comment': {
      const { type: kind, id, post_id, parent_id, user_id, ...value } = record
      return {
        kind,
        key: `comment:${id}`,
        id,
        label: `comment ${id}`,
        post: `post:${post_id}`,
        parent: parent_id === null ? null : `comment:${parent_id}`,
        user: user_id === null ? null : userKey(user_id),
        value,
      }
    }
    case 'ticket': {
      const { type: kind, id, user_id, replies, ...value } = record
      return {
        kind,
        key: `ticket:${id}`,
        id,
        label: value.subject,
        user: userKey(user_id),
        replies: replies.map(({ author_id, ...reply }) => ({ ...reply, author: userKey(author_id) })),
        value,
      }
    }
    case 'subscriber': {
      const { type: kind, id, ...value } = record
      return { kind, key: `subscriber:${id}`, id, label: value.email, value }
    }
    case 'submission': {
      const { type: kind, id, ...value } = record
      return { kind, key: `submission:${id}`, id, label: value.email, value }
    }
    case 'webhook': {
      const { type: kind, id, owner_id, ...value } = record
      return { kind, key: `webhook:${id}`, id, label: value.name, owner: userKey(owner_id), value }
    }
  }
}
