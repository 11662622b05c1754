// What schemathesis is run with, how many requests each run is to send, and whether they were enough.

const OPERATIONS = 80
/** What one sequence has, by experience. */
const REQUESTS_PER_SEQUENCE = 11

export type Run = {
  name: string
  /** The name of its token; without one it sends none. */
  token?: string
  /** Of the requests that are asked for. */
  share: number
  only?: string[]
  without?: string[]
  phases: string
}

/** They end tokens or change how the service answers everybody: they run last, with a token of their own. */
const DISRUPTIVE = ['logout', 'deleteToken', 'adminChangeSettings']

/** The shares are more than the whole together: a run ends early with an operation that has few different requests. */
export const RUNS: Run[] = [
  { name: 'with a token', token: 'fuzz', share: 0.6, without: DISRUPTIVE, phases: 'fuzzing' },
  { name: 'in sequences', token: 'sequences', share: 0.15, without: DISRUPTIVE, phases: 'stateful' },
  { name: 'without a token', share: 0.25, phases: 'fuzzing' },
  { name: 'what ends tokens', token: 'own', share: 0.15, only: DISRUPTIVE, phases: 'fuzzing' },
]

function unitOf({ only, phases }: Run): number {
  return phases === 'stateful' ? REQUESTS_PER_SEQUENCE : (only?.length ?? OPERATIONS)
}

/** Of each operation at least two requests, so that every one is tried; a sequence goes through many of them. */
export function examplesOf(run: Run, requested: number): number {
  return Math.max(2, Math.ceil((requested * run.share) / unitOf(run)))
}

/** How many requests a run sends if nothing ends it early. */
export function plannedRequests(run: Run, requested: number): number {
  return examplesOf(run, requested) * unitOf(run)
}

/** Why so many requests of each run, by its name, prove too little; none where they are enough. */
export function shortfallsOf(sent: Map<string, number>, requested: number): string[] {
  const all = [...sent.values()].reduce((sum, one) => sum + one, 0)
  return [
    ...RUNS.filter(({ name }) => !sent.get(name)).map(({ name }) => `The run ${name} sent no request.`),
    ...(all < requested / 2 ? [`Only ${all} of about ${requested} requests were sent.`] : []),
  ]
}
