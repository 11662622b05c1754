// A refused address as commands show it. Pure.
import { isoTime } from '../../shared/http/time.ts'
import type { Refusal } from '../../shared/mail/refusal.ts'

export function refusalView({ email, reason, detail, refused_ms, allowed_ms }: Refusal) {
  return {
    email,
    reason,
    detail,
    refused_at: timeOf(refused_ms),
    allowed_at: allowed_ms === undefined ? null : timeOf(allowed_ms),
  }
}

function timeOf(ms: number): string {
  return isoTime(Math.floor(ms / 1000))
}
