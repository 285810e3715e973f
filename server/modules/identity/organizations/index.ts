export { organizationCreated } from '../events.ts'
export {
  closeOrganization,
  leaveOrganizations,
  lockClosingOrganizations,
  lockOrganizationToClose,
} from './close.ts'
export {
  actsForOrganization,
  firstOwnerOf,
  hasActiveStaff,
  lockMembership,
  openOrganization,
  organizationBySlug,
  organizationsRunBy,
  requireMembership,
  requireStaff,
  staffOf,
} from './role.ts'
export { staffOfOrganizations } from './sql.ts'
