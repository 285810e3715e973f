export { bindReferral, referralMeta, type Referral } from './referral.ts'
export { CLICK_COOKIE } from './clicks/redirect.ts'
export { createAffiliateProfile, eraseAffiliate, type AffiliateProfile } from './profile/profile.ts'
