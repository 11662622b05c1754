// `zod/mini` ships without messages: install the English ones.
import { en } from 'zod/locales'
import * as z from 'zod/mini'

z.config(en())
