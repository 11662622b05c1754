// Where an emulator answers and the key that it asks for, in one string: `http://KEY@127.0.0.1:PORT`.
import { randomBytes } from 'node:crypto'

/** All keys are this long, so that a session can follow one in the same header. */
const KEY_LENGTH = 32

export type EmulatorAddress = { url: string; host: string; port: number; key: string }

export function newKey(): string {
  return randomBytes(24).toString('base64url')
}

export function formatEndpoint(port: number, key: string): string {
  return `http://${key}@127.0.0.1:${port}`
}

/** The key is empty for an emulator that somebody else started (DYNAMODB_ENDPOINT). */
export function parseEndpoint(endpoint: string): EmulatorAddress {
  const { origin, host, port, username } = new URL(endpoint)
  return { url: origin, host, port: Number(port), key: decodeURIComponent(username) }
}

/** The same endpoint; it gets this key if it has none. */
export function withKey(endpoint: string, key: string): string {
  const url = new URL(endpoint)
  url.username ||= key
  return url.href.replace(/\/$/, '')
}

/** The session token of AWS credentials carries the key; what follows it names a worker. */
export function readToken(token: string): { key: string; session: string } {
  return { key: token.slice(0, KEY_LENGTH), session: token.slice(KEY_LENGTH) }
}
