export { bindReferral, referralMeta, type Referral } from './referral.ts'
export { createAffiliateProfile, eraseAffiliate, type AffiliateProfile } from './profile/profile.ts'
