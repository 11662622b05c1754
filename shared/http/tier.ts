// The tiers of traffic. Each has its own usage plan, so that a flood of one does not starve the others.

export const TIERS = ['public', 'me', 'admin'] as const
export type Tier = (typeof TIERS)[number]

/** The tier of a declared resource, such as `/api/v1/me/tokens`. Used by the gateway and its authorizer. */
export function tierOf(resource: string): Tier {
  const room = resource.split('/')[3]
  return room === 'me' || room === 'admin' ? room : 'public'
}
