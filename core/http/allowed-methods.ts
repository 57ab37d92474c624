/** What a method is taken at. */
interface MethodPaths {
	readonly method: string;
	/** With `:name` for a variable segment, `**:name` for the rest of a path. */
	readonly paths: readonly string[];
}

const order = ["GET", "HEAD", "POST", "PUT", "DELETE"];

/** Which methods a path takes, for requests that no route has matched: the router tells only whether method and path fit together. */
export class AllowedMethods {
	readonly #entries: readonly MethodPaths[];
	#patterns: ReadonlyMap<string, RegExp> | undefined;

	constructor(entries: readonly MethodPaths[]) {
		this.#entries = entries;
	}

	at(path: string): readonly string[] {
		this.#patterns ??= toPatterns(this.#entries);
		return order.filter((method) => this.#patterns?.get(method)?.test(path) === true);
	}
}

/** One expression for each method: looking at every path by itself takes longer than the rest of the answer. */
function toPatterns(entries: readonly MethodPaths[]): ReadonlyMap<string, RegExp> {
	const sources = new Map<string, string[]>();
	for (const { method, paths } of entries) sources.set(method, [...(sources.get(method) ?? []), ...paths.map(toSource)]);
	return new Map([...sources].map(([method, list]) => [method, new RegExp(`^(?:${list.join("|")})/?$`)]));
}

function toSource(path: string): string {
	const segments = path.split("/").map((segment) => {
		if (segment.startsWith("**")) return ".+";
		return segment.startsWith(":") ? "[^/]+" : segment.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
	});
	return path === "/" ? "" : segments.join("/");
}
