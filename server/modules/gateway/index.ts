export type { Catalog } from './core/model.ts'
