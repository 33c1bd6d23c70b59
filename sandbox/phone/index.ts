/** The phone: a page at `/` that shows what customers see, and lets one answer as any of them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { buildSync } from 'esbuild';
import type { FastifyInstance } from 'fastify';
import { once } from 'lodash';

import { refuseOthers } from '../auth';

const folder = path.join(__dirname, 'page');

/** The page's script and its style, made at the first visit. */
const bundle = once(() => {
	const { outputFiles } = buildSync({
		entryPoints: [path.join(folder, 'main.tsx')],
		bundle: true,
		write: false,
		outdir: folder,
		format: 'esm',
		jsx: 'automatic',
		jsxImportSource: 'preact',
	});
	const textOf = (kind: string) => outputFiles.find((file) => file.path.endsWith(kind))?.text;
	return { script: textOf('.js'), style: textOf('.css') };
});

/** Nothing from elsewhere, no script but ours, no page around it; asks each time whether a file has changed. */
const headers = {
	'cache-control': 'no-cache',
	'content-security-policy':
		"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	'referrer-policy': 'no-referrer',
	'x-content-type-options': 'nosniff',
};

/** Mounts the page at `/` and its files under `/phone/`. They hold no data: that comes from the controls. */
export function mountPhone(app: FastifyInstance): void {
	const files: Record<string, [type: string, read: () => string | undefined]> = {
		'/': ['text/html', () => readFileSync(path.join(folder, 'index.html'), 'utf8')],
		'/phone/icon.svg': ['image/svg+xml', () => readFileSync(path.join(folder, 'icon.svg'), 'utf8')],
		'/phone/main.js': ['text/javascript', () => bundle().script],
		'/phone/main.css': ['text/css', () => bundle().style],
	};
	void app.register(async (phone) => {
		phone.addHook('onRequest', refuseOthers);
		for (const [address, [type, read]] of Object.entries(files)) {
			phone.get(address, async (_, reply) =>
				reply.headers(headers).type(`${type}; charset=utf-8`).send(read()),
			);
		}
	});
}
