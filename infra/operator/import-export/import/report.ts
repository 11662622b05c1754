// What an import did with each record, and why.
export type Outcome = 'made' | 'updated' | 'skipped' | 'wrong'

export type ReportLine = {
  outcome: Outcome
  kind: string
  id?: number | undefined
  label: string
  /** Why it was skipped, or what of it did not fit. */
  reason?: string | undefined
}

/** From where the old site showed a post or page to its path here. */
export type Redirect = { from: string; to: string }

export type Report = {
  add: (line: ReportLine) => void
  lines: ReportLine[]
  /** The first for each old address. */
  redirect: (redirect: Redirect) => void
  redirects: () => Redirect[]
  /** By kind and outcome. */
  counts: () => Record<string, Partial<Record<Outcome, number>>>
}

export function openReport(): Report {
  const lines: ReportLine[] = []
  const redirects = new Map<string, Redirect>()
  return {
    lines,
    redirect: redirect => {
      if (!redirects.has(redirect.from)) redirects.set(redirect.from, redirect)
    },
    redirects: () => [...redirects.values()],
    add: line => lines.push(line),
    counts: () => {
      const counts: ReturnType<Report['counts']> = {}
      for (const { kind, outcome } of lines) {
        const ofKind = counts[kind] ?? {}
        ofKind[outcome] = (ofKind[outcome] ?? 0) + 1
        counts[kind] = ofKind
      }
      return counts
    },
  }
}

/** A line for each kind. */
export function summaryOf(report: Report): string[] {
  return Object.entries(report.counts()).map(([kind, counts]) => {
    const texts = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`)
    return `${kind}: ${texts.join(', ')}`
  })
}

/** `wrong`: a record that should have been imported. */
export function isWrong(report: Report): boolean {
  return report.lines.some(({ outcome }) => outcome === 'wrong')
}
