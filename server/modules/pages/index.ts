export { notFound as notFoundPage } from './links.ts'
