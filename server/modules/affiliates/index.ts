export { affiliatesModule } from './module.ts'
export { bindReferral, bindReferralOfNewAccount, referralMeta, type Referral } from './referral.ts'
export { createAffiliateProfile, forgetAffiliate, type AffiliateProfile } from './profile.ts'
