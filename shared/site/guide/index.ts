// The guide to health, settings and menus.
import type { SliceGuide } from '../../http/guide.ts'
import { SITE_ENDPOINTS } from './endpoints.ts'
import { SITE_MEMBERS } from './members.ts'

export const SITE_GUIDE: SliceGuide = {
  tags: {
    system: 'Health of the service.',
    site: 'Public settings and menus.',
    'admin: site': 'Write settings and menus. Needs the ability `admin`.',
  },
  endpoints: SITE_ENDPOINTS,
  members: SITE_MEMBERS,
}
