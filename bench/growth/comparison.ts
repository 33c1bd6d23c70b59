/** A comparison: work of our nodes at a size that a shop reaches, beside the same work without what makes it large. */
import type { SandboxSettings } from '../../harness/sandboxClient';
import type { Span } from './measure';
import type { BenchEnvironment } from './benchEnvironment';

/** One kind of work at several sizes. */
export interface Comparison {
	/** Name for `--only`. */
	name: string;
	/** What is measured, and what it is compared with. */
	what: string;
	/** The sizes: how many contacts, entries and so on there are. */
	sizes: number[];
	quickSizes: number[];
	/** How the service behaves; usually without a limit. */
	service?: (size: number) => SandboxSettings;
	/**
	 * The least number of times that both sides run, in alternating order; the best run counts. 2 by default, 1 if the
	 * runs cannot be repeated.
	 */
	rounds?: number;
	/** Prepares both sides. A side throws if it did not do its work. */
	prepare: (environment: BenchEnvironment, size: number, isQuick: boolean) => Promise<Sides>;
}

/** Each side runs once, and returns when it began and ended. */
export interface Sides {
	with: () => Promise<Span>;
	without: () => Promise<Span>;
}
