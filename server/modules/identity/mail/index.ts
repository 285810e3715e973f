export { isSetupLinkGood, viewMailLink, type LinkView } from './link-view.ts'
export { notifyOwner } from './notify-owner.ts'
