// What the owner of a stage does first, and what clients then do with it.
import * as z from 'zod/mini'
import { jsonOf } from '../conformance/values.ts'
import type { DeployedStage } from './deployed.ts'

export const EMAIL = 'owner@example.com'
/** Far longer than any answer takes, so that no run fails because the machine is slow. */
const HANGS_AFTER_MS = 120_000

const CreatedUser = z.object({ password: z.string() })
const IssuedToken = z.object({ token: z.string() })
const Envelope = z.object({ data: z.optional(z.unknown()) })

export type Answer = { status: number; headers: Headers; data: unknown }
export type Call = (method: string, path: string, body?: object) => Promise<Answer>

export type Owner = { password: string; token: string; call: Call }

/** Creates a user and an admin token on the command line. */
export async function openOwner(stage: DeployedStage): Promise<Owner> {
  const user = await stage.operator('user', 'create', '--email', EMAIL, '--name', 'Owner', '--json')
  const abilities = ['--abilities', 'user,admin', '--name', 'stack', '--json']
  const issued = await stage.operator('token', 'create', '--email', EMAIL, ...abilities)
  const { token } = IssuedToken.parse(JSON.parse(issued))
  return {
    token,
    password: CreatedUser.parse(JSON.parse(user)).password,
    call: callerOf(await stage.baseUrl(), token),
  }
}

export function callerOf(baseUrl: string, token: string): Call {
  return async (method, path, body) => {
    const response = await fetch(`${baseUrl}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(HANGS_AFTER_MS),
    })
    const text = await response.text()
    const read = Envelope.safeParse(jsonOf(text))
    return { status: response.status, headers: response.headers, data: read.success ? read.data.data : text }
  }
}

/** How many items an answer has. */
export function countOf(data: unknown): number {
  return Array.isArray(data) ? data.length : -1
}
