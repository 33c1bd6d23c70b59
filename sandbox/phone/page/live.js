/** What keeps the page up to date: the sandbox tells what has changed, and what is shown of it is asked for again. */
import { useEffect, useState } from 'preact/hooks';

import { eventsUrl, get } from './api.js';

/** @typedef {import('../live').News} News */

/** @type {Set<(news: News) => void>} */
const listeners = new Set();
/** @type {Set<(isConnected: boolean) => void>} */
const watchers = new Set();

/** Connects to the sandbox; the browser connects again by itself. Whatever happened meanwhile counts as changed. */
export function connect() {
	const source = new EventSource(eventsUrl);
	/** @param {News} news */
	const tell = (news) => listeners.forEach((listener) => listener(news));
	/** @param {boolean} isConnected */
	const note = (isConnected) => watchers.forEach((watcher) => watcher(isConnected));
	source.onopen = () => {
		note(true);
		tell({ chats: [], deliveries: true, reset: true });
	};
	source.onerror = () => {
		note(false);
		// Not after an answer that is no stream, e.g. while something else has taken the port.
		if (source.readyState === EventSource.CLOSED) setTimeout(connect, 3_000);
	};
	source.onmessage = ({ data }) => tell(JSON.parse(data));
}

/** Whether the sandbox can be heard; undefined until that is known. */
export function useConnection() {
	const [isConnected, setConnected] = useState(/** @type {boolean | undefined} */ (undefined));
	useEffect(() => {
		watchers.add(setConnected);
		return () => void watchers.delete(setConnected);
	}, []);
	return isConnected;
}

/**
 * The document of a URL, kept up to date. While a new URL is loading, the document of the one before stays.
 *
 * @template T
 * @param {string} url
 * @param {(news: News) => boolean} isConcerned whether news change the document
 * @returns {{ data?: T, error?: string, reload: () => void }}
 */
export function useLive(url, isConcerned) {
	const [result, setResult] = useState(/** @type {{ data?: T, error?: string }} */ ({}));
	const [reload, setReload] = useState(() => () => {});
	useEffect(() => {
		const loader = startLoading(url, setResult);
		setReload(() => loader.load);
		/** @param {News} news */
		const listener = (news) => {
			if (news.reset || isConcerned(news)) loader.load();
		};
		listeners.add(listener);
		return () => {
			listeners.delete(listener);
			loader.stop();
		};
	}, [url]);
	return { ...result, reload };
}

/**
 * Loads a document now and whenever told, but never twice at once.
 *
 * @template T
 * @param {string} url
 * @param {(change: (before: { data?: T, error?: string }) => { data?: T, error?: string }) => void} setResult
 */
function startLoading(url, setResult) {
	let isWanted = false;
	let isLoading = false;
	let isStopped = false;
	const load = async () => {
		isWanted = true;
		if (isLoading) return;
		isLoading = true;
		while (isWanted && !isStopped) {
			isWanted = false;
			/** @type {{ data?: T, error?: string }} */
			const result = await get(url).then(
				(data) => ({ data: /** @type {T} */ (data) }),
				(error) => ({ error: error.message }),
			);
			if (!isStopped) setResult((before) => ({ data: before.data, ...result }));
		}
		isLoading = false;
	};
	void load();
	return { load: () => void load(), stop: () => void (isStopped = true) };
}
