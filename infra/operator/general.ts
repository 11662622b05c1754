// The options that every command takes: what to work on, and how to say what came of it.
import * as z from 'zod/mini'
import { flag, value } from './command.ts'

export const GENERAL = {
  state: value('DIR', 'the local state to work on, whether or not the service runs (.local)', z.string()),
  stage: value('NAME', "a deployed stage instead, with this shell's AWS credentials", z.string()),
  json: flag('the result as JSON, and nothing else, on stdout'),
  version: flag('show the version of this program'),
  help: flag('show this; with a command, what it takes'),
}
