import { type ReadonlySignal, signal } from "@preact/signals";

/** What the address bar says behind its `#`. */
export interface Address {
	/** Begins with a slash, and has none at its end. */
	readonly path: string;
	readonly query: URLSearchParams;
}

/** Values of a query by name; undefined, empty and false: not in it. */
export type QueryChange = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Where somebody is in the page. All of what they look at stands in it: filters, tabs, chosen tasks and lines. So an address can be sent to
 * somebody else, and back and forward lead where they should.
 */
export class AddressBar {
	readonly #current = signal(parse(location.hash));

	constructor() {
		addEventListener("hashchange", () => {
			this.#current.value = parse(location.hash);
		});
	}

	get current(): ReadonlySignal<Address> {
		return this.#current;
	}

	/** Of the query, the value of a name; empty where there is none. */
	query(name: string): string {
		return this.#current.value.query.get(name) ?? "";
	}

	/** Go to a place of the page. `isReplaced`: without a step of the history. */
	go(path: string, query: QueryChange = {}, { isReplaced = false }: { readonly isReplaced?: boolean } = {}): void {
		const hash = toHref(path, query);
		if (isReplaced) history.replaceState(null, "", hash);
		else history.pushState(null, "", hash);
		this.#current.value = parse(hash);
	}

	/** Change parts of the query, and stay. */
	change(changes: QueryChange, options: { readonly isReplaced?: boolean } = {}): void {
		const { path, query } = this.#current.value;
		this.go(path, { ...Object.fromEntries(query), ...changes }, options);
	}
}

/** An address for a link. */
export function toHref(path: string, query: QueryChange = {}): string {
	const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "" && value !== false);
	const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
	return `#${path}${text === "" ? "" : `?${text}`}`;
}

/** A path of a page with these values for its `:names`. */
export function toPath(pattern: string, values: Readonly<Record<string, string>>): string {
	return pattern.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(values[name] ?? ""));
}

/** The values of the `:names` of a pattern, where the path fits it; a name with `?` may be missing. */
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

/** Somebody may have typed it. */
function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

export const addressBar = new AddressBar();
