export { affiliatesModule } from './module.ts'
export { createAffiliateProfile, type AffiliateProfile } from './profile.ts'
