/** The parts of a benchmark that `--only` names. */
import { UserError } from '../harness/cli';

/** @param only names with commas; all by default @throws UserError for a name that the benchmark does not have */
export function chosenParts(names: string[], only = names.join()): string[] {
	const chosen = only.split(',');
	const unknown = chosen.find((name) => !names.includes(name));
	if (unknown === undefined) return chosen;
	throw new UserError(`--only ${unknown} is none of ${names.join(', ')}.`);
}
