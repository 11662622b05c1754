// The three audiences of endpoints with their limits and tiers of traffic, and the abilities of tokens.

/** No ability implies another. */
export const USER_ABILITIES = ['user', 'comments:write', 'tickets:write', 'newsletter:manage'] as const
/** Given by admins only: public reads with it are counted per token. It allows nothing. */
export const BUILDS_READ = 'builds:read' as const
/** Those that tokens of `/me/tokens` may have. */
export const GRANTED_ABILITIES = [...USER_ABILITIES, BUILDS_READ] as const
export const ABILITIES = [...GRANTED_ABILITIES, 'admin'] as const
export type Ability = (typeof ABILITIES)[number]

export type Audience = 'public' | 'user' | 'admin'

/**
 * `log` counts exactly over any 60 s, for few requests; `window` starts with the first request.
 * `failClosed`: if requests cannot be counted, they are refused.
 */
export type Limit = {
  scope: string
  per: 'ip' | 'user' | 'token'
  perMinute: number
  kind: 'window' | 'log'
  failClosed: boolean
}

function shared(scope: string, per: Limit['per'], perMinute: number): Limit {
  return { scope, per, perMinute, kind: 'window', failClosed: false }
}

/** The limits that the API's document promises. */
export const AUDIENCE_LIMITS: Record<Audience, Limit> = {
  public: shared('public', 'ip', 60),
  user: shared('me', 'user', 120),
  admin: shared('admin', 'user', 30),
}

/** For /me and /admin without a valid token: its own bucket, which public reads do not share. */
export const ANONYMOUS_LIMIT: Limit = shared('anonymous', 'ip', 60)

/** For public reads with a token that has `builds:read`: a build fetches a thousand posts in a minute. */
export const BUILDS_LIMIT: Limit = shared('builds', 'token', 1_200)

/** A bucket of one endpoint, such as login, by default per IP address. */
export function ownLimit(scope: string, perMinute: number, per: Limit['per'] = 'ip'): Limit {
  return { scope, per, perMinute, kind: 'log', failClosed: true }
}

/** The limit of a stage, by its factor. */
export function scaled(most: number, factor: number): number {
  return Math.max(1, Math.floor(most * factor))
}

export const TIERS = ['public', 'me', 'admin'] as const
export type Tier = (typeof TIERS)[number]

/** The tier of a declared resource, such as `/api/v1/me/tokens`. Used by the gateway and its authorizer. */
export function tierOf(resource: string): Tier {
  const room = resource.split('/')[3]
  return room === 'me' || room === 'admin' ? room : 'public'
}
