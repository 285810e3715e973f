export { isSetupLinkGood, viewMailLink, type LinkView } from './link-view.ts'
