// The options that every command takes.
import * as z from 'zod/mini'
import { flag, value } from './command.ts'

export const GENERAL_OPTIONS = {
  state: value(
    'DIR',
    'local state to work on, whether or not the service runs (default: .local)',
    z.string(),
  ),
  stage: value(
    'NAME',
    'deployed stage to work on instead, with the AWS credentials of this shell',
    z.string(),
  ),
  table: value(
    'NAME',
    'with --stage: another table than that of the stage, such as one restored from a backup',
    z.string(),
  ),
  json: flag('print the result as JSON, and nothing else, to stdout'),
  version: flag('show the version'),
  help: flag('show help; after a command, for that command'),
}
