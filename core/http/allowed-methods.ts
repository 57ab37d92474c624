/** A method and the paths that accept it. */
interface MethodPaths {
	readonly method: string;
	/** Paths with `:name` for a variable segment and `**:name` for the rest of a path. */
	readonly paths: readonly string[];
}

/** Order of the methods in the header `Allow`. */
const methodOrder = ["GET", "HEAD", "POST", "PUT", "DELETE"];

/** Returns the methods that a path accepts; empty for an unknown path. */
export type AllowedMethods = (path: string) => readonly string[];

/**
 * Creates the function that finds the methods of a path, for requests that no route has matched. The router only reports whether method and
 * path match together.
 */
export function createAllowedMethods(entries: readonly MethodPaths[]): AllowedMethods {
	let patterns: ReadonlyMap<string, RegExp> | undefined;
	return (path) => {
		patterns ??= toPatterns(entries);
		return methodOrder.filter((method) => patterns?.get(method)?.test(path) === true);
	};
}

/**
 * Returns one regular expression for each method, which matches all of its paths. Testing every path separately takes longer than the rest
 * of the response.
 */
function toPatterns(entries: readonly MethodPaths[]): ReadonlyMap<string, RegExp> {
	const sources = new Map<string, string[]>();
	for (const { method, paths } of entries) sources.set(method, [...(sources.get(method) ?? []), ...paths.map(toSource)]);
	return new Map([...sources].map(([method, pathSources]) => [method, new RegExp(`^(?:${pathSources.join("|")})/?$`)]));
}

function toSource(path: string): string {
	const segments = path.split("/").map((segment) => {
		if (segment.startsWith("**")) return ".+";
		return segment.startsWith(":") ? "[^/]+" : segment.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
	});
	return path === "/" ? "" : segments.join("/");
}
