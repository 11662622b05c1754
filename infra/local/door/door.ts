// The door of an emulator: a port of this machine that accepts only connections with the right key.
import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { formatEndpoint, readToken } from './endpoint.ts'

export type Door = { endpoint: string; stop(): Promise<void> }

/** Takes over an accepted connection. Its first request is still unread. */
export type Accept = (socket: Socket) => void

const LONGEST_HEAD = 64 * 1024
const FIRST_REQUEST_LIMIT_MS = 10_000

/** Opens a door to a server of this process. The server itself listens on no port. */
export async function openDoorTo(server: HttpServer, key: string): Promise<Door> {
  const door = await listen()
  const stop = guard(door, key, socket => server.emit('connection', socket))
  return { endpoint: formatEndpoint(portOf(door), key), stop }
}

/** Listens on a free port. Nothing is answered before `guard` is called. */
export async function listen(): Promise<Server> {
  const door = createServer().listen(0, '127.0.0.1')
  await once(door, 'listening')
  return door
}

export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

/**
 * Checks only the first request of each connection, because later ones come from the same client.
 * @returns a function that closes the door and all its connections.
 */
export function guard(door: Server, key: string, accept: Accept): () => Promise<void> {
  const sockets = new Set<Socket>()
  const port = portOf(door)
  door.on('connection', socket => {
    sockets.add(socket.setNoDelay().once('close', () => sockets.delete(socket)))
    readHead(socket, head => (isAuthorized(head, port, key) ? accept(socket) : refuse(socket)))
  })
  return async () => {
    const closed = new Promise(resolve => door.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  }
}

/** Reads the head of the first request and puts the bytes back into the socket. */
function readHead(socket: Socket, then: (head: string) => void): void {
  let bytes: Buffer = Buffer.alloc(0)
  socket.on('error', () => socket.destroy())
  socket.setTimeout(FIRST_REQUEST_LIMIT_MS, () => socket.destroy())
  const read = () => {
    const chunk: Buffer | null = socket.read()
    if (chunk === null) return
    bytes = Buffer.concat([bytes, chunk])
    const end = bytes.indexOf('\r\n\r\n')
    if (end < 0 && bytes.length < LONGEST_HEAD) return
    socket.off('readable', read).setTimeout(0).removeAllListeners('timeout')
    socket.unshift(bytes)
    then(bytes.toString('latin1', 0, Math.max(end, 0)))
  }
  socket.on('readable', read)
}

/** Rejects web pages: only browsers send Origin, and only DNS rebinding leads to another Host. */
export function isAuthorized(head: string, port: number, key: string): boolean {
  const valuesOf = (name: string) => [...head.matchAll(new RegExp(`^${name}: *(.*?) *\\r?$`, 'gim'))]
  const [token, ...otherTokens] = valuesOf('x-amz-security-token').map(([, value = '']) => value)
  const [host, ...otherHosts] = valuesOf('host').map(([, value = '']) => value)
  if (valuesOf('origin').length + otherTokens.length + otherHosts.length > 0) return false
  return [`127.0.0.1:${port}`, `localhost:${port}`].includes(host ?? '') && isSame(token ?? '', key)
}

function isSame(token: string, key: string): boolean {
  const actual = Buffer.from(readToken(token).key)
  const expected = Buffer.from(key)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

const REFUSAL = JSON.stringify({
  __type: 'com.amazon.coral.service#AccessDeniedException',
  message: 'Only the service that started this emulator may use it. Send its key as the session token.',
})

function refuse(socket: Socket): void {
  const head = ['HTTP/1.1 403 Forbidden', 'Content-Type: application/x-amz-json-1.0', 'Connection: close']
  const length = `Content-Length: ${Buffer.byteLength(REFUSAL)}`
  socket.resume().end([...head, length, '', REFUSAL].join('\r\n'))
}
