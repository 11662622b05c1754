// Requests of the SDK as bytes: where one ends and the next begins, who is asked for what, and how one is refused.

export type AwsRequest = { operation: string; body: string; bytes: Buffer }

/** What the caller gets instead of an answer. */
export type Refusal = { status: number; headers: Record<string, string>; body: unknown }

/** Takes bytes as they are written, and gives back the requests that are whole with them. Each names its length. */
export function requestReader(): (bytes: Buffer) => AwsRequest[] {
  let waiting: Buffer[] = []
  let size = 0
  let wanted = 1
  return bytes => {
    const whole: AwsRequest[] = []
    waiting.push(bytes)
    size += bytes.length
    while (size >= wanted) {
      const all = Buffer.concat(waiting)
      const { start, end } = boundsOf(all)
      if (end <= size) whole.push(requestIn(all.subarray(0, end), start))
      waiting = [end <= size ? all.subarray(end) : all]
      wanted = end <= size ? 1 : end
      size -= end <= size ? end : 0
    }
    return whole
  }
}

const HEAD_END = '\r\n\r\n'

/** Where the body begins and the request ends; while its head is not whole, that is beyond what is there. */
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

/** A refusal as an answer on the wire. */
export function serializeRefusal({ status, headers, body }: Refusal): Buffer {
  const text = JSON.stringify(body)
  const fields = Object.entries({ ...headers, 'Content-Length': Buffer.byteLength(text) })
  const lines = [`HTTP/1.1 ${status} Refused`, ...fields.map(([name, value]) => `${name}: ${value}`)]
  return Buffer.from(`${lines.join('\r\n')}${HEAD_END}${text}`)
}
