// The runs of schemathesis, the number of requests of each, and whether a run sent enough.

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

function unitOf({ only, phases }: Run): number {
  return phases === 'stateful' ? REQUESTS_PER_SEQUENCE : (only?.length ?? OPERATIONS)
}

/** At least two examples of each operation, or two sequences, so that every operation is tried. */
export function examplesOf(run: Run, requested: number): number {
  return Math.max(2, Math.ceil((requested * run.share) / unitOf(run)))
}

/** The number of requests that a run sends if it does not end early. */
export function plannedRequests(run: Run, requested: number): number {
  return examplesOf(run, requested) * unitOf(run)
}

/** Explains why the requests that were sent by each run are too few. Empty if they are enough. */
export function shortfallsOf(sent: Map<string, number>, requested: number): string[] {
  const all = [...sent.values()].reduce((sum, count) => sum + count, 0)
  return [
    ...RUNS.filter(({ name }) => !sent.get(name)).map(({ name }) => `The run ${name} sent no request.`),
    ...(all < requested / 2 ? [`Only ${all} of about ${requested} requests were sent.`] : []),
  ]
}
