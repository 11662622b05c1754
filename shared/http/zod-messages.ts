// What a schema finds wrong, in English, where it has no words of its own: the small zod comes without a language.
import { en } from 'zod/locales'
import * as z from 'zod/mini'

z.config(en())
