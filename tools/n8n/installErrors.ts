import { UserError } from '../userError';
import { CommandError } from '../processes';

const DISK_FULL = /ENOSPC|no space left on device|EDQUOT/i;
const DOWNLOAD =
	/\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|E40[134]|E50[0234]|ETARGET|EINTEGRITY|UNABLE_TO_GET_ISSUER_CERT_LOCALLY|SELF_SIGNED_CERT_IN_CHAIN)\b/;

/** What went wrong while n8n was being put into `folder`, as one sentence that says what to do. `log` has the details. */
export function explainInstallFailure(error: unknown, folder: string, log: string): UserError {
	const output = error instanceof CommandError ? error.output : String(error);
	if (DISK_FULL.test(output)) return diskFull(folder);
	if (error instanceof CommandError && error.timedOut) {
		return new UserError(
			`Downloading n8n took too long: check the network and run the command again (details: ${log}).`,
		);
	}
	const code = DOWNLOAD.exec(output)?.[0];
	if (code) {
		return new UserError(
			`n8n could not be downloaded (${code}): check the network and npm's registry and proxy settings, and run the command again (details: ${log}).`,
		);
	}
	return new UserError(`n8n could not be installed: ${lastError(output)} (details: ${log}).`);
}

/** The disk that holds `folder` cannot take n8n. */
export function diskFull(folder: string): UserError {
	return new UserError(
		`The disk that holds ${folder} is full: n8n needs about 3 GB there; free some space or set XDG_CACHE_HOME to a folder on a larger disk.`,
	);
}

function lastError(output: string): string {
	const lines = output.split('\n').filter((line) => line.trim() !== '');
	return (
		lines.findLast((line) => /error/i.test(line)) ??
		lines.at(-1) ??
		'npm gave no reason'
	).trim();
}
