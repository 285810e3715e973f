export { canonicalJson, documentKeysOf, macOf, signText, type DocumentKey } from './document-keys.ts'
