// The log of the functions: one JSON object per line, which CloudWatch can query.

/** `debug` is for failures that are retried. */
export type Level = 'debug' | 'info' | 'warn' | 'error'
export type Log = (level: Level, message: string, details?: Record<string, unknown>) => void

export const log: Log = (level, message, details = {}) => {
  console.log(JSON.stringify({ level, message, ...details }))
}
