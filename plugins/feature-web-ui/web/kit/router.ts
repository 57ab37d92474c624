import { type ReadonlySignal, signal } from "@preact/signals";

/** Path and query after the `#` of the address. */
export interface Address {
	/** Begins with a slash and does not end with one. */
	readonly path: string;
	readonly query: URLSearchParams;
}

/** Query values by name. Undefined, an empty string and false remove the name from the query. */
export type QueryChange = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Current location in the page, after the `#` of the URL. It includes filters, tabs, selected tasks and lines. So a link to any view can be
 * shared, and the browser's back and forward buttons restore every view.
 */
export class Router {
	readonly #current = signal(parse(location.hash));

	constructor() {
		addEventListener("hashchange", () => {
			this.#current.value = parse(location.hash);
		});
	}

	get current(): ReadonlySignal<Address> {
		return this.#current;
	}

	/** Returns the value of a name in the query, or an empty string if the query does not contain the name. */
	query(name: string): string {
		return this.#current.value.query.get(name) ?? "";
	}

	/** Navigates to a path. If `isReplaced` is true, the current history entry is replaced instead of adding one. */
	go(path: string, query: QueryChange = {}, { isReplaced = false }: { readonly isReplaced?: boolean } = {}): void {
		const hash = toHref(path, query);
		if (isReplaced) history.replaceState(null, "", hash);
		else history.pushState(null, "", hash);
		this.#current.value = parse(hash);
	}

	/** Navigates to the same path with some values of the query changed. */
	change(changes: QueryChange, options: { readonly isReplaced?: boolean } = {}): void {
		const { path, query } = this.#current.value;
		this.go(path, { ...Object.fromEntries(query), ...changes }, options);
	}
}

/** Returns the `href` of a link to a path in the page. */
export function toHref(path: string, query: QueryChange = {}): string {
	const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "" && value !== false);
	const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
	return `#${path}${text === "" ? "" : `?${text}`}`;
}

/** Returns the path of a pattern such as `/history/:id`, with its `:names` replaced by the values. */
export function toPath(pattern: string, values: Readonly<Record<string, string>>): string {
	return pattern.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(values[name] ?? ""));
}

/** Returns the values of the `:names` of a pattern, or undefined if the path does not match. A name with `?` may be missing. */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
	const wanted = pattern.split("/").slice(1);
	const given = path.split("/").slice(1);
	if (given.length > wanted.length) return undefined;
	const values: Record<string, string> = {};
	for (const [index, part] of wanted.entries()) {
		const value = given[index];
		const [, name, mark] = /^:(\w+)(\?)?$/.exec(part) ?? [];
		if (name === undefined ? value !== part : !value && mark === undefined) return undefined;
		if (name !== undefined && value) values[name] = decode(value);
	}
	return values;
}

function parse(hash: string): Address {
	const text = hash.replace(/^#/, "");
	const mark = text.indexOf("?");
	const path = (mark < 0 ? text : text.slice(0, mark)).replace(/\/+$/, "");
	return { path: path.startsWith("/") ? path : `/${path}`, query: new URLSearchParams(mark < 0 ? "" : text.slice(mark + 1)) };
}

/** Decodes a part of the path. Returns it unchanged if it is malformed, since a user may have typed the address. */
function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

export const addressBar = new Router();
