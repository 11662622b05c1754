// The endpoint of an emulator: address and key in one string, `http://KEY@127.0.0.1:PORT`.
import { randomBytes } from 'node:crypto'

/** Keys have a fixed length, because a session follows the key in the same header. */
const KEY_LENGTH = 32

export type EmulatorAddress = { url: string; host: string; port: number; key: string }

export function newKey(): string {
  return randomBytes(24).toString('base64url')
}

export function formatEndpoint(port: number, key: string): string {
  return `http://${key}@127.0.0.1:${port}`
}

/** The key is empty for an emulator that this run did not start (DYNAMODB_ENDPOINT). */
export function parseEndpoint(endpoint: string): EmulatorAddress {
  const { origin, host, port, username } = new URL(endpoint)
  return { url: origin, host, port: Number(port), key: decodeURIComponent(username) }
}

/** Adds the key to an endpoint that has none. */
export function withKey(endpoint: string, key: string): string {
  const url = new URL(endpoint)
  url.username ||= key
  return url.href.replace(/\/$/, '')
}

/** Splits the session token of AWS credentials into the emulator's key and the worker's session. */
export function readToken(token: string): { key: string; session: string } {
  return { key: token.slice(0, KEY_LENGTH), session: token.slice(KEY_LENGTH) }
}
