// The checks in their order: if the first does not hold, no write works and the others say little.
import type { Check } from './check.ts'
import { GZIP_CHECK, HEAD_CHECK } from './checks/answers.ts'
import { AUTHORIZER_CHECK } from './checks/authorizer.ts'
import { FALLBACK_CHECK } from './checks/fallback.ts'
import { REQUEST_ID_CHECK } from './checks/gateway-answer.ts'
import { MAIL_CHECK } from './checks/mail.ts'
import { NOT_UTF8_CHECK } from './checks/not-utf8.ts'
import { SESSION_CHECK } from './checks/session-permission.ts'
import { STAGES_CHECK } from './checks/stages.ts'
import { TLS_CHECK } from './checks/tls.ts'
import { LARGE_TRANSACTION_CHECK, WRITERS_CHECK } from './checks/transactions.ts'
import { SLUG_CHECK, WRITE_CHECK } from './checks/write.ts'

export const CHECKS: Check[] = [
  WRITE_CHECK,
  SESSION_CHECK,
  AUTHORIZER_CHECK,
  FALLBACK_CHECK,
  REQUEST_ID_CHECK,
  NOT_UTF8_CHECK,
  TLS_CHECK,
  HEAD_CHECK,
  GZIP_CHECK,
  SLUG_CHECK,
  LARGE_TRANSACTION_CHECK,
  WRITERS_CHECK,
  STAGES_CHECK,
  MAIL_CHECK,
]
