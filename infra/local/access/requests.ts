// Splits the bytes that an SDK writes into requests, and serializes the answer to a denied request.

export type AwsRequest = { operation: string; body: string; bytes: Buffer }

/** The answer to a denied request. */
export type Refusal = { status: number; headers: Record<string, string>; body: unknown }

/** Returns a function that takes written bytes and returns the requests that they complete. */
export function requestReader(): (bytes: Buffer) => AwsRequest[] {
  let pending: Buffer[] = []
  let size = 0
  let needed = 1
  return bytes => {
    const complete: AwsRequest[] = []
    pending.push(bytes)
    size += bytes.length
    while (size >= needed) {
      const all = Buffer.concat(pending)
      const { start, end } = boundsOf(all)
      if (end <= size) complete.push(requestIn(all.subarray(0, end), start))
      pending = [end <= size ? all.subarray(end) : all]
      needed = end <= size ? 1 : end
      size -= end <= size ? end : 0
    }
    return complete
  }
}

const HEAD_END = '\r\n\r\n'

/** Where the body starts and the request ends. While the head is incomplete, the end is beyond the bytes. */
function boundsOf(bytes: Buffer): { start: number; end: number } {
  const at = bytes.indexOf(HEAD_END)
  if (at < 0) return { start: 0, end: bytes.length + 1 }
  const start = at + HEAD_END.length
  const length = /^content-length: *(\d+)/im.exec(bytes.toString('latin1', 0, at))?.[1]
  return { start, end: start + Number(length ?? 0) }
}

function requestIn(bytes: Buffer, start: number): AwsRequest {
  const head = bytes.toString('latin1', 0, start)
  const operation = /^x-amz-target: *\w+\.(\w+)/im.exec(head)?.[1] ?? ''
  return { operation, body: bytes.toString('utf8', start), bytes }
}

/** The refusal as the bytes of an HTTP response. */
export function serializeRefusal({ status, headers, body }: Refusal): Buffer {
  const text = JSON.stringify(body)
  const fields = Object.entries({ ...headers, 'Content-Length': Buffer.byteLength(text) })
  const lines = [`HTTP/1.1 ${status} Refused`, ...fields.map(([name, value]) => `${name}: ${value}`)]
  return Buffer.from(`${lines.join('\r\n')}${HEAD_END}${text}`)
}
