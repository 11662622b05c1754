// Finds out which function a logical id of the template or the name of a thread belongs to.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

export type FunctionNames = (idOrThread: string) => string | undefined

/** Linux keeps this many characters of a thread's name. */
const THREAD_NAME_LENGTH = 15

/** The functions of a checkout, named as its files in functions/. A logical id is that name and a hash. */
export function functionNames(checkout: string): FunctionNames {
  const names = readdirSync(join(checkout, 'functions'))
    .flatMap(file => (file.endsWith('.ts') ? file.slice(0, -'.ts'.length) : []))
    .sort((a, b) => b.length - a.length)
  return text => names.find(name => text.startsWith(name.replaceAll('-', '').slice(0, THREAD_NAME_LENGTH)))
}
