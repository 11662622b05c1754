// Who an endpoint is for: the three audiences with their limits, and the abilities of tokens.

/** None implies another. */
export const USER_ABILITIES = ['user', 'comments:write', 'tickets:write', 'newsletter:manage'] as const
export const ABILITIES = [...USER_ABILITIES, 'admin'] as const
export type Ability = (typeof ABILITIES)[number]

export type Audience = 'public' | 'user' | 'admin'

/**
 * `log` counts exactly in any 60 s (few, abuse-critical); `window` starts with the first hit.
 * `failClosed`: without a count there is no answer.
 */
export type Limit = {
  scope: string
  per: 'ip' | 'user'
  perMinute: number
  kind: 'window' | 'log'
  failClosed: boolean
}

function shared(scope: string, per: Limit['per'], perMinute: number): Limit {
  return {
    scope,
    per,
    perMinute,
    kind: 'window',
    failClosed: false,
  }
}

/** Contract "Limits". */
export const AUDIENCE_LIMITS: Record<Audience, Limit> = {
  public: shared('public', 'ip', 60),
  user: shared('me', 'user', 120),
  admin: shared('admin', 'user', 30),
}

/** Requests to /me and /admin without a valid token: apart, so that a build behind the same address is safe. */
export const ANONYMOUS_LIMIT: Limit = shared('anonymous', 'ip', 60)

/** An endpoint's own bucket, mostly per address: login, register and their like. */
export function ownLimit(scope: string, perMinute: number, per: Limit['per'] = 'ip'): Limit {
  return {
    scope,
    per,
    perMinute,
    kind: 'log',
    failClosed: true,
  }
}

/** Of all addresses of a /48 together. Many may come at once, and one write a request counts them. */
export function widened(limit: Limit): Limit {
  return {
    ...limit,
    scope: `${limit.scope}-wide`,
    perMinute: limit.perMinute * 10,
    kind: 'window',
  }
}
