/** What is compared: work of our nodes at a size that a shop reaches, beside the same work without what makes it large. */
import type { SandboxSettings } from '../../harness/sandboxClient';
import type { Span } from './measure';
import type { BenchEnvironment } from './benchEnvironment';

/** One subject at several sizes. */
export interface Comparison {
	/** For `--only`. */
	name: string;
	/** What runs, and beside what. */
	what: string;
	/** How many of what the subject is about. */
	sizes: number[];
	quickSizes: number[];
	/** How the service behaves; usually without a limit. */
	service?: (size: number) => SandboxSettings;
	/** The sizes are entries of n8n's deduplication store, which needs time for each of its calls. */
	usesStore?: boolean;
	/** How often both sides run at least, in alternating order; the best counts. 2 by default, 1 if they cannot be repeated. */
	rounds?: number;
	/** Prepares both sides. A side throws if it did not do its work. */
	prepare: (environment: BenchEnvironment, size: number, isQuick: boolean) => Promise<Sides>;
}

/** Each runs once, and says when it began and ended. */
export interface Sides {
	with: () => Promise<Span>;
	without: () => Promise<Span>;
}
