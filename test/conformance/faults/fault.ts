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

export type Fault = {
  /** The requests that the fault changes. */
  on?: RegExp
  /** Before the service gets the request. A reply is the answer in its place. */
  before?: (exchange: Exchange) => Reply | undefined
  after?: (reply: Reply) => void
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
export function changed(path: string, change: (value: unknown) => unknown): Fault {
  return { after: ({ json }) => edit(json, path, change) }
}

export function without(path: string): Fault {
  return changed(path, () => undefined)
}

/** An answer with another status in the place of this one. */
export function answered(status: number, instead: number): Fault {
  return {
    after: reply => {
      if (reply.status === instead) reply.status = status
    },
  }
}

/** A request with another body, which the service then accepts. */
export function sent(path: string, change: (value: unknown) => unknown): Fault {
  return { before: ({ body }) => void edit(body, path, change) }
}

/** The service does not get a header of the request. */
export function withoutHeader(name: string): Fault {
  return {
    before: ({ headers }) => {
      delete headers[name]
      return undefined
    },
  }
}

/** The answer of a service that does nothing. */
export function doesNothing(): Fault {
  return { before: () => ({ status: 200, headers: {}, json: { success: true, message: 'Done.', data: {} } }) }
}
