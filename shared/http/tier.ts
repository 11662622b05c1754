// The tiers of traffic: each has a usage plan of its own, so that a flood of one cannot starve the others.

export const TIERS = ['public', 'me', 'admin'] as const
export type Tier = (typeof TIERS)[number]

/** Of a resource as it is declared, like `/api/v1/me/tokens`: the gateway and its authorizer ask the same question. */
export function tierOf(resource: string): Tier {
  const room = resource.split('/')[3]
  return room === 'me' || room === 'admin' ? room : 'public'
}
