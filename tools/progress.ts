import ora from 'ora';

/** Milliseconds between two redraws, and between two plain lines where there is no terminal to redraw. */
const REDRAW_INTERVAL = 1000;
const PLAIN_INTERVAL = 15_000;

/**
 * Runs one step of something that takes long, and shows on stderr how long it has taken, so that it never looks hung.
 * @param counter says how far the step has come, e.g. "1,203 of 2,095 packages"
 */
export async function step<T>(
	title: string,
	work: () => Promise<T>,
	counter?: () => string,
): Promise<T> {
	const start = Date.now();
	const line = () => {
		const seconds = `${Math.round((Date.now() - start) / 1000)} s`;
		return [title, counter?.(), seconds].filter(Boolean).join(' · ');
	};
	const spinner = ora(title).start();
	const show = () => {
		if (process.stderr.isTTY) spinner.text = line();
		else process.stderr.write(`- ${line()}\n`);
	};
	const timer = setInterval(show, process.stderr.isTTY ? REDRAW_INTERVAL : PLAIN_INTERVAL);
	try {
		const result = await work();
		spinner.succeed(line());
		return result;
	} catch (error) {
		spinner.fail(line());
		throw error;
	} finally {
		clearInterval(timer);
	}
}
