// A planted fault: a small change to requests, answers or deliveries, and the check that has to notice it.
export type Exchange = {
  /** `GET /posts/hello`: the method, and the path without `/api/v1` and the query. */
  request: string
  query: URLSearchParams
  headers: Record<string, string>
  /** Undefined if there is none, or it is not JSON. */
  body: unknown
}

export type Reply = { status: number; headers: Record<string, string>; json: unknown }

export type SentRequest = { method: string; headers: Record<string, string>; body: Buffer }

/** By the sentence that they contradict, and their names. */
export type Faults = Record<string, Record<string, Fault>>

export type Fault = {
  /** A part of what the check says. */
  says: string
  /** The requests that the fault changes. */
  on?: RegExp
  /** Before the service gets the request. A reply is the answer in its place. */
  before?: (exchange: Exchange, forward: (exchange: Exchange) => Promise<Reply>) => Reply | undefined
  after?: (
    reply: Reply,
    exchange: Exchange,
    forward: (exchange: Exchange) => Promise<Reply>,
  ) => void | Promise<void>
  /** What the subscriber gets in place of a delivery. */
  delivery?: (sent: SentRequest) => SentRequest[]
}

type Members = Record<string, unknown>
function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null
}

/** Changes the members at a path such as `data.*.excerpt`. A change to undefined removes them. */
export function edit(json: unknown, path: string, change: (value: unknown) => unknown): void {
  const [name = '', ...rest] = path.split('.')
  if (!isMembers(json)) return
  if (name === '*') {
    for (const item of Object.values(json)) edit(item, rest.join('.'), change)
  } else if (rest.length > 0) {
    edit(json[name], rest.join('.'), change)
  } else {
    const value = change(json[name])
    if (value === undefined) {
      delete json[name]
    } else {
      json[name] = value
    }
  }
}

/** An answer with other members. */
export function changed(path: string, change: (value: unknown) => unknown): Pick<Fault, 'after'> {
  return { after: ({ json }) => edit(json, path, change) }
}

export function without(path: string): Pick<Fault, 'after'> {
  return changed(path, () => undefined)
}

/** A request with another body, which the service then accepts. */
export function sent(path: string, change: (value: unknown) => unknown): Pick<Fault, 'before'> {
  return {
    before: ({ body }) => {
      edit(body, path, change)
      return undefined
    },
  }
}

/** The answer of a service that does nothing. */
export function doesNothing(data: unknown = {}): Pick<Fault, 'before'> {
  return {
    before: () => ({ status: 200, headers: {}, json: { success: true, message: 'Done.', data } }),
  }
}

export function plusOne(value: unknown): unknown {
  return Number(value) + 1
}
