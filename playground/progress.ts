const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
/** Milliseconds between two plain lines where there is no terminal to redraw. */
const PLAIN_INTERVAL = 15_000;

/** Tells how far a step has come, e.g. "1,203 of 2,095 packages"; asked again at every redraw. */
export type Counter = () => string;

/** Shows the steps of something that takes long, with the seconds each has taken, so that it never looks hung. */
export class Progress {
	constructor(private readonly output: NodeJS.WriteStream = process.stderr) {}

	/**
	 * Runs one step. On a terminal its line is redrawn every 100 ms; elsewhere it gets a plain line at its start, one
	 * every 15 s, and one at its end.
	 */
	async step<T>(title: string, work: () => Promise<T>, counter?: Counter): Promise<T> {
		const start = Date.now();
		const line = () =>
			[title, counter?.(), `${Math.round((Date.now() - start) / 1000)} s`]
				.filter(Boolean)
				.join(' · ');
		const stopDrawing = this.output.isTTY ? this.redraw(line) : this.repeat(title, line);
		try {
			const result = await work();
			stopDrawing();
			this.output.write(`✔ ${line()}\n`);
			return result;
		} catch (error) {
			stopDrawing();
			this.output.write(`✖ ${line()}\n`);
			throw error;
		}
	}

	private redraw(line: Counter): () => void {
		let frame = 0;
		const timer = setInterval(() => {
			frame = (frame + 1) % FRAMES.length;
			// A line that wraps could not be redrawn.
			const text = `${FRAMES[frame]} ${line()}`.slice(0, this.output.columns - 1);
			this.output.write(`\r\u001b[K${text}`);
		}, 100);
		return () => {
			clearInterval(timer);
			this.output.write('\r\u001b[K');
		};
	}

	private repeat(title: string, line: Counter): () => void {
		this.output.write(`… ${title}\n`);
		const timer = setInterval(() => this.output.write(`… ${line()}\n`), PLAIN_INTERVAL);
		return () => clearInterval(timer);
	}
}
