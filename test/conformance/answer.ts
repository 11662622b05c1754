// What a check demands of an answer or a delivery, and how a check ends if it gets something else.

/** The service does something else than the sentence says. */
export class FellShort extends Error {}
/** Nothing is known about the sentence. The message says why, and what would show it. */
export class NotRun extends Error {}

export function fallShort(message: string): never {
  throw new FellShort(message)
}

export function notRun(message: string): never {
  throw new NotRun(message)
}

/** `request` names it in messages: `GET /api/v1/posts`, `the delivery of post.published`. */
export type Source = { request: string; json: unknown }

export type Answer = {
  /** For messages: `GET /api/v1/posts`. */
  request: string
  status: number
  headers: Headers
  text: string
  /** Undefined if the body is not JSON. */
  json: unknown
}

type Members = Record<string, unknown>

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** At most 160 characters, for messages. */
export function shown(value: unknown): string {
  const text = value === undefined ? 'missing' : JSON.stringify(value)
  return text.length > 160 ? `${text.slice(0, 160)}…` : text
}

/** The value at a path such as `data.categories.0.id`; undefined if a part of the path is missing. */
export function at({ json }: Pick<Source, 'json'>, path: string): unknown {
  let value = json
  for (const name of path.split('.')) {
    if (!isObject(value) && !Array.isArray(value)) return undefined
    value = Array.isArray(value) ? value[Number(name)] : value[name]
  }
  return value
}

export function wrong(source: Source, path: string, expected: string): never {
  fallShort(`${source.request}: \`${path}\` is ${shown(at(source, path))}, and not ${expected}.`)
}

export function equal(source: Source, path: string, expected: unknown): void {
  if (JSON.stringify(at(source, path)) !== JSON.stringify(expected)) wrong(source, path, shown(expected))
}

export function absent(source: Source, path: string): void {
  const value = at(source, path)
  if (value !== undefined) {
    fallShort(`${source.request}: there is a member \`${path}\`, which is ${shown(value)}.`)
  }
}

export function hold(condition: boolean, otherwise: string): void {
  if (!condition) fallShort(otherwise)
}

/** Falls short unless the status is one of these, or any success if none is given. */
export function succeeds(answer: Answer, ...statuses: number[]): Answer {
  const { status, request } = answer
  const isExpected = statuses.length > 0 ? statuses.includes(status) : status >= 200 && status < 300
  if (isExpected) return answer
  const expected = statuses.join(' or ') || 'a success'
  fallShort(`${request} answered ${status} ${shown(answer.json ?? answer.text)}, and not ${expected}.`)
}

export function fails(answer: Answer, status: number, code: string): Answer {
  succeeds(answer, status)
  equal(answer, 'errors.code', code)
  return answer
}

/** A field that breaks a rule: the answer of every endpoint that reads it. */
export function isInvalid(answer: Answer): Answer {
  return fails(answer, 422, 'VALIDATION_ERROR')
}
