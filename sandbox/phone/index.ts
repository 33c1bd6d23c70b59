/** The phone: a page at `/` that shows what customers see, and lets one answer as any of them. It is served as it stands. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

import { refuseOthers } from '../auth';

const folder = path.join(__dirname, 'page');

/** The libraries of the page by their address. */
const libraries: Record<string, string> = {
	'preact.mjs': require.resolve('preact'),
	'hooks.mjs': require.resolve('preact/hooks'),
	'htm.mjs': require.resolve('htm'),
	'bootstrap.min.css': require.resolve('bootstrap/dist/css/bootstrap.min.css'),
};

/** Mounts the page at `/` and its files under `/phone/`. They hold no data: that comes from the controls. */
export function mountPhone(app: FastifyInstance): void {
	const headers = headersOf(readFileSync(path.join(folder, 'index.html'), 'utf8'));
	void app.register(async (phone) => {
		phone.addHook('onRequest', refuseOthers);
		phone.addHook('onSend', async (_, reply) => void reply.headers(headers));
		await phone.register(fastifyStatic, {
			root: folder,
			prefix: '/phone/',
			index: false,
			cacheControl: false,
		});
		phone.get('/', async (_, reply) => reply.sendFile('index.html'));
		for (const [file, place] of Object.entries(libraries)) {
			const library = path.dirname(place);
			phone.get(`/phone/library/${file}`, async (_, reply) => reply.sendFile(file, library));
		}
	});
}

/** Nothing from elsewhere, no script but ours, no page around it; asks each time whether a file has changed. */
function headersOf(html: string): Record<string, string> {
	const importMap = /<script type="importmap">([^]*?)<\/script>/.exec(html)?.[1] ?? '';
	const hash = createHash('sha256').update(importMap).digest('base64');
	const policy = [
		"default-src 'none'",
		`script-src 'self' 'sha256-${hash}'`,
		"style-src 'self'",
		"connect-src 'self'",
		"img-src 'self' data:",
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
	];
	return {
		'cache-control': 'no-cache',
		'content-security-policy': policy.join('; '),
		'referrer-policy': 'no-referrer',
		'x-content-type-options': 'nosniff',
	};
}
