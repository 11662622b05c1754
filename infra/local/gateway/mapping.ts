// API Gateway's small language for values in the answers it makes itself: 'static', context.x and $context.x.

/** Values of `$context`, by their name after the dot: `requestId`, `error.messageString`. */
export type ContextVariables = Record<string, string>

export type Mapping = (context: ContextVariables) => string

/** The right-hand side of a header mapping: `'text'` in quotes, or `context.name`. */
export function compileMapping(mapping: string): Mapping {
  const text = /^'(.*)'$/s.exec(mapping)?.[1]
  if (text !== undefined) return () => text
  const name = /^context\.(.+)$/.exec(mapping)?.[1]
  if (name !== undefined) return context => context[name] ?? ''
  throw new Error(`The local run knows 'text' and context.name as values of a header, not ${mapping}.`)
}

/** Puts the values in place of every `$context.name`; what is not known becomes empty, as there. */
export function fillTemplate(template: string, context: ContextVariables): string {
  return template.replace(/\$context\.([A-Za-z]+(?:\.[A-Za-z]+)*)/g, (_, name: string) => context[name] ?? '')
}
