import type { Module } from '#platform/services'
import { pageRoutes } from './routes.ts'

export { notFound as notFoundPage } from './links.ts'

/** The pages that links in a mail or a terminal open. */
export const pagesModule: Module = { name: 'pages', routes: pageRoutes }
