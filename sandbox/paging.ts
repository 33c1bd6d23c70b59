/** One page of a listing. */
import type { Settings } from './options';

/** A page and its metadata (assumption: the specification shows only `data`). */
export type Page<T> = { data: T[]; page: number; limit: number; total: number };

/**
 * Cuts a page out of a list without touching the rest. Pages count from 1, and page 0 is the first one as well (assumptions).
 *
 * @param query `limit` above the cap is cut to it
 */
export function pageOf<T>(
	list: readonly T[],
	query: { page?: number; limit?: number },
	settings: Settings,
): Page<T> {
	const limit = Math.min(query.limit ?? settings.defaultPageSize, settings.pageSizeCap);
	const page = Math.max(query.page ?? 1, 1);
	const start = (page - 1) * limit;
	return { data: list.slice(start, start + limit), page, limit, total: list.length };
}
