/** The content of the compose file, as Docker Compose would read it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import mapValues from 'lodash/mapValues';
import { parse } from 'yaml';
import { PROJECT_FOLDER } from '../../../harness/n8n/packProject';

const DEPLOY_FOLDER = path.join(PROJECT_FOLDER, 'deploy');

/** A service of a compose file, as far as it is used here. */
export interface ComposeService {
	image: string;
	command?: string[];
	environment: Record<string, string>;
	healthcheck?: { test: string[] };
	/** How many containers run it. */
	replicas: number;
	/** The files that it gets read-only, by their paths in the container. */
	files: Record<string, string>;
}

type Written = Omit<ComposeService, 'replicas' | 'files'> & {
	deploy?: { replicas?: number };
	volumes?: string[];
};

/**
 * Reads `deploy/docker-compose.yml`.
 * @param env what `.env` holds
 * @throws Error if a variable that has to be filled in is missing
 */
export function readCompose(env: Record<string, string>): Record<string, ComposeService> {
	const text = readFileSync(path.join(DEPLOY_FOLDER, 'docker-compose.yml'), 'utf8');
	const { services } = parse(text, { merge: true }) as { services: Record<string, Written> };
	const filledIn = (value: unknown) => fillIn(String(value), env);
	return mapValues(services, ({ image, command, environment, healthcheck, deploy, volumes }) => ({
		image,
		command: command?.map(filledIn),
		environment: mapValues(environment ?? {}, filledIn),
		healthcheck: healthcheck && { test: healthcheck.test.map(filledIn) },
		replicas: deploy?.replicas ?? 1,
		files: Object.fromEntries(
			(volumes ?? [])
				.filter((volume) => volume.startsWith('./'))
				.map((volume) => volume.split(':'))
				.map(([source, target]) => [target, path.join(DEPLOY_FOLDER, source)]),
		),
	}));
}

/** Replaces `${NAME}`, `${NAME:-default}` and `${NAME:?message}`; `$$` is a dollar sign. */
function fillIn(text: string, env: Record<string, string>): string {
	const variable = /\$\$|\$\{(\w+)(?:(:[-?])([^}]*))?\}/g;
	return text.replace(variable, (match, name: string, kind?: string, more = '') => {
		if (match === '$$') return '$';
		if (env[name]) return env[name];
		if (kind === ':-') return more as string;
		if (kind === ':?') throw new Error(`${name}: ${more as string}`);
		return '';
	});
}

/** The variables of `.env.example`, filled in as its comments say. */
export function fillInEnv(values: Record<string, string>, secret: () => string) {
	const text = readFileSync(path.join(DEPLOY_FOLDER, '.env.example'), 'utf8');
	const lines = text.match(/^[A-Z].*$/gm) ?? [];
	const example = Object.fromEntries(lines.map((line) => line.split('=') as [string, string]));
	return mapValues(example, (value, name) => values[name] ?? (value || secret()));
}
