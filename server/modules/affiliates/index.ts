export { affiliatesModule } from './module.ts'
export { createAffiliateProfile, forgetAffiliate, type AffiliateProfile } from './profile.ts'
