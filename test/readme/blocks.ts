// The commands of the README, as a newcomer would copy them.
import { readFileSync } from 'node:fs'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

/** The fenced blocks of a language, in order. */
export function blocksOf(language: string): string[] {
  return [...readme.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, text]) =>
    name === language && text ? [text.trim()] : [],
  )
}
