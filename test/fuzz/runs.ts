// The runs of schemathesis, and how many examples each gets.

const OPERATIONS = 80
/** The usual number of requests in one sequence. */
const REQUESTS_PER_SEQUENCE = 11

export type Run = {
  name: string
  /** The name of its token; without it, requests have no token. */
  token?: string
  /** Its share of all requests. */
  share: number
  only?: string[]
  without?: string[]
  phases: string
}

/** These operations revoke tokens or change all answers, so they run last and with their own token. */
const DISRUPTIVE = ['logout', 'deleteToken', 'adminChangeSettings']

/** The shares add up to more than 1, because a run ends early when an operation has few distinct requests. */
export const RUNS: Run[] = [
  { name: 'with a token', token: 'fuzz', share: 0.6, without: DISRUPTIVE, phases: 'fuzzing' },
  { name: 'in sequences', token: 'sequences', share: 0.15, without: DISRUPTIVE, phases: 'stateful' },
  { name: 'without a token', share: 0.25, phases: 'fuzzing' },
  { name: 'disruptive operations', token: 'own', share: 0.15, only: DISRUPTIVE, phases: 'fuzzing' },
]

/** At least two examples of each operation, or two sequences, so that every operation is tried. */
export function examplesOf({ share, only, phases }: Run, requested: number): number {
  const requests = phases === 'stateful' ? REQUESTS_PER_SEQUENCE : (only?.length ?? OPERATIONS)
  return Math.max(2, Math.ceil((requested * share) / requests))
}
