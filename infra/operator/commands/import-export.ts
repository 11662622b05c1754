// The commands that export a service and import content: of an export, or of another system.
import * as z from 'zod/mini'
import { httpUrl } from '../../../shared/http/text.ts'
import { command, flag, optionalText, value } from '../command.ts'
import { CSV_KINDS, exportAll } from '../import-export/export/export.ts'
import { exportSchema } from '../import-export/format.ts'
import { countsOf, importSource, isWrong, summaryOf } from '../import-export/import/import.ts'
import { openSource, SOURCE_FORMATS } from '../import-export/sources/source.ts'

const CsvKind = z.optional(z.enum(CSV_KINDS, `Must be one of ${CSV_KINDS.join(', ')}.`))
const OutFile = z.optional(z.string().check(z.minLength(1, 'Is required.')))

const exportCommand = command({
  name: 'export',
  summary: 'Export all content and accounts as JSON Lines, without tokens and secrets',
  details: `  Without --out it writes to stdout. A FILE that ends with .gz is compressed. The service may be running: each
  record is exported as one version of it. If it was interrupted, run it again with the same FILE: it continues. Without
  --with-passwords, users of an imported export choose a new password by "forgot password".`,
  options: {
    out: value('FILE', 'write to this file', OutFile),
    'with-passwords': flag('include the hashes of passwords'),
    csv: value('KIND', `only ${CSV_KINDS.join(', ')}, as a table for a spreadsheet`, CsvKind),
    schema: flag('print the JSON schema of a line instead'),
  },
  run: async ({ out, csv, schema, 'with-passwords': withPasswords }, context) => {
    if (schema) return { lines: [JSON.stringify(exportSchema(), null, 2)], json: exportSchema() }
    const records = await exportAll(context, { out, withPasswords, csv })
    const text = `Exported ${records} records${out === undefined ? '' : ` to ${out}`}.`
    return out === undefined
      ? { lines: [], json: undefined, warning: text }
      : { lines: [text], json: { file: out, records } }
  },
})

const Format = z.enum(SOURCE_FORMATS, `Must be one of ${SOURCE_FORMATS.join(', ')}.`)
const Files = z.array(z.string()).check(z.minLength(1, 'Is required.'))
const Events = z._default(z.enum(['none', 'all'], 'Must be none or all.'), 'none')
const Url = z.optional(httpUrl(1000))

const importCommand = command({
  name: 'import',
  summary: 'Import an export, the content of Ghost, WordPress or a folder of Markdown, or subscribers',
  details: `  Without --from it goes by the FILE's name. It prints what it did with each record. The service may be running.
  A second run imports what is new and changes nothing else: run it again if it was interrupted. With --update it also
  overwrites posts, pages, categories, menus, settings and profiles that changed in the source since. An export of
  WordPress may be several files. A script of your own sends 25 writes a request: POST /api/v1/admin/batch.`,
  args: {
    files: value('FILE...', 'an export, a Ghost or WordPress export, a folder, or a table', Files),
  },
  options: {
    from: value('FORMAT', SOURCE_FORMATS.join(', '), z.optional(Format)),
    'dry-run': flag('write nothing, and print what would be imported'),
    update: flag('overwrite what an earlier import made, if the source has changed'),
    partial: flag('import what a file has that was cut off'),
    confirmed: flag('the subscribers of a CSV file have confirmed; without it each gets a mail'),
    events: value('WHICH', 'none (default), or all: fire the events of new records', Events),
    author: optionalText('EMAIL', 'author of posts that name none (default: the oldest account)'),
    taxonomies: optionalText('NAMES', 'of WordPress, whose terms also become categories'),
    'source-url': value('URL', 'address of the old site, for relative links and images', Url),
  },
  run: async (values, context) => {
    const { files, from: format, 'dry-run': dryRun, 'source-url': sourceUrl } = values
    const taxonomies = values.taxonomies?.split(',').map(name => name.trim())
    const { nowSeconds } = context
    const source = await openSource(files, { ...values, format, sourceUrl, taxonomies, nowSeconds })
    const report = await importSource(context, source, { ...values, dryRun })
    const { lines } = report
    const redirects = [...report.redirects].map(([from, to]) => ({ from, to }))
    return {
      lines: [
        ...lines.map(({ outcome, kind, id = '', label, reason }) =>
          [outcome, kind, id, label, reason].filter(cell => cell !== undefined),
        ),
        ...(redirects.length > 0 ? ['Old addresses:'] : []),
        ...redirects.map(({ from, to }) => `${from} → ${to}`),
        `Read ${source.label}.${dryRun ? ' Nothing was written, as this was a dry run.' : ''}`,
        ...summaryOf(report),
      ],
      json: { source: source.label, dry_run: dryRun, counts: countsOf(report), records: lines, redirects },
      failed: isWrong(report),
    }
  },
})

export const IMPORT_EXPORT_COMMANDS = [exportCommand, importCommand]
