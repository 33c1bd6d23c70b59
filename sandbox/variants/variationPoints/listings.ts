/** Variation points of listings. */
import type { VariationPoint } from './variationPoint';

export const listingPoints = {
	'page-base': {
		words: 'number of the first page',
		values: ['1', '0'],
	},
	'page-size': {
		words: 'what becomes of `limit`',
		values: [
			['capped', 'cut to the greatest page size'],
			['honoured', 'heeded up to 1,000'],
			['refused', 'refused above the greatest page size'],
			'ignored',
		],
	},
	paging: {
		words: 'whether listings are cut into pages',
		values: [
			['pages', 'yes'],
			['none', 'no: `limit` and `page` are ignored'],
		],
	},
	'last-page': {
		words: 'what comes beyond the last page',
		values: [
			['empty', 'an empty page'],
			['not-found', '404'],
			['bad-request', '400'],
			['repeated', 'the last page again'],
			['first', 'the first page again'],
		],
	},
	'page-metadata': {
		words: 'what a page says of itself',
		values: [
			['flat', 'page, limit and total beside the records'],
			['nested', 'the same under meta'],
			['absent', 'nothing'],
		],
	},
	'list-envelope': {
		words: 'where the records of a listing stand',
		values: [
			['data', 'under data'],
			['bare', 'the answer is the list'],
			['items', 'under items'],
			['results', 'under results'],
			['named', 'under the name of the resource'],
			['nested', 'under data.items'],
			['embedded', 'under _embedded and the name of the resource'],
		],
	},
	'list-changes': {
		words: 'what happens to the contacts while they are listed',
		values: [
			['none', 'nothing'],
			['added', 'one is added in front'],
			['removed', 'the first one is removed'],
		],
	},
} as const satisfies Record<string, VariationPoint>;
