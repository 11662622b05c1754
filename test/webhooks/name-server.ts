// A small name server for tests: it answers A and AAAA from a table, fails on demand, and logs every
// question.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

type Records = { A?: string[]; AAAA?: string[] }
/** `nothing` never answers; a name that is not in the zone does not exist. */
export type Zone = Record<string, Records | 'SERVFAIL' | 'nothing'>

const ERROR_CODES = { SERVFAIL: 2, NXDOMAIN: 3 }
const RECORD_TYPES = new Map<number, 'A' | 'AAAA'>([
  [1, 'A'],
  [28, 'AAAA'],
])

export async function nameServer(zone: Zone): Promise<{ address: string; queries: string[] }> {
  const queries: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query)
    const kind = RECORD_TYPES.get(type)
    if (!kind) return
    queries.push(`${kind} ${name}`)
    const entry = zone[name]
    if (entry === 'nothing') return
    const code = typeof entry === 'object' ? 0 : ERROR_CODES[entry ?? 'NXDOMAIN']
    const addresses = typeof entry === 'object' ? (entry[kind] ?? []) : []
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2) // the id of the question
    header.writeUInt16BE(0x8180 | code, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(addresses.length, 6)
    const records = addresses.map(address => record(type, kind === 'A' ? v4Bytes(address) : v6Bytes(address)))
    socket.send(Buffer.concat([header, query.subarray(12, end), ...records]), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  return { address: `127.0.0.1:${socket.address().port}`, queries }
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

/** Refers to the name of the question, class IN, with a TTL of 0. */
function record(type: number, address: Buffer): Buffer {
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, address.length])
  return Buffer.concat([head, address])
}

function v4Bytes(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number))
}

/** The bytes of an address, written in full or with one `::`. */
function v6Bytes(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const missing = 8 - groups(head).length - groups(tail).length
  const all = [...groups(head), ...Array<string>(missing).fill('0'), ...groups(tail)]
  return Buffer.from(all.map(group => group.padStart(4, '0')).join(''), 'hex')
}
