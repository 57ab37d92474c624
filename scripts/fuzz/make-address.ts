import type { QueryType } from "../../core/http/query.ts";
import type { Route } from "../../core/http/route.ts";
import { pick, type Random } from "../../core/testing/guarantees/random.test-support.ts";
import { hostileIds, hostileTexts } from "../../core/testing/http/hostile-values.test-support.ts";
import { kindOf } from "./memory.ts";
import { type Source, segments } from "./samples.ts";

const prefixes = { auth: "/auth/v1", api: "/v1", stream: "/stream/v1" } as const;

/** The path of a route about something that exists. */
export function makePath({ path, component }: Route, source: Source): string {
	const filled = path.replace(/\*\*:\w+|:\w+/g, (segment) => {
		const known = source.memory.any(source.random, kindOf(path)) ?? String(segments[segment]?.(source) ?? "x");
		return encodeURIComponent(known).replaceAll("%2F", "/");
	});
	return prefixes[component] + filled;
}

/** A path of a route about something that is no name, with a query of the same kind. */
export function makeHostileAddress(route: Route, source: Source): string {
	const { random } = source;
	const { path, component, query = {} } = route;
	const isNamed = random(2) === 0;
	const filled = isNamed ? makePath(route, source) : prefixes[component] + path.replace(/\*\*:\w+|:\w+/g, () => pick(random, hostileIds));
	const given = Object.entries(query).filter(() => random(3) === 0);
	const parts = given.flatMap(([name, type]) => makeParameter(random, name, type));
	if (random(8) === 0) parts.push(pick(random, ["__proto__=1", "constructor[prototype]=1", "&&==", "%00=%00", `q=${"x".repeat(5_000)}`]));
	return parts.length === 0 ? filled : `${filled}?${parts.join("&")}`;
}

function makeParameter(random: Random, name: string, type: QueryType): readonly string[] {
	const text = random(2) === 0 ? pick(random, hostileTexts[type] ?? [""]) : pick(random, fitting[type]);
	return random(6) === 0 ? [`${name}=${text}`, `${name}=${pick(random, fitting[type])}`, `${name}[]=1`] : [`${name}=${text}`];
}

const fitting: Readonly<Record<QueryType, readonly string[]>> = {
	string: ["a", "default", "core.noop"],
	integer: ["0", "1", "5", "-1"],
	boolean: ["true", "false"],
	list: ["id,ref", "name"],
};
