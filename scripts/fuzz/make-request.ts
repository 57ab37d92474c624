import type { Route } from "../../core/http/route.ts";
import { createRandom, pick } from "../../core/testing/guarantees/random.test-support.ts";
import { hostilePaths } from "../../core/testing/http/hostile-values.test-support.ts";
import { routes } from "../../plugins/_shipped/routes.ts";
import { type CallerName, callerNames } from "./caller-names.ts";
import { bodySchemaOf } from "./declared.ts";
import { fillSchema } from "./fill-schema.ts";
import { contentTypes, hostileHeaders } from "./hostile.ts";
import { type JsonTree, toText, toTree } from "./json-tree.ts";
import { makeHostileAddress, makePath } from "./make-address.ts";
import type { Memory, NameUse } from "./memory.ts";
import { breakBytes, mutate } from "./mutate.ts";
import { type Source, samples } from "./samples.ts";

type Headers = readonly (readonly [name: string, value: string])[];

/** One request, with nothing in it that another service could not be asked. */
export interface FuzzRequest {
	readonly caller: CallerName;
	readonly method: string;
	/** With prefix and query. */
	readonly path: string;
	readonly headers: Headers;
	/** A body that can be made smaller. */
	readonly tree?: JsonTree;
	/** What is sent in its place. */
	readonly bytes?: Buffer;
	/** Sent in pieces, without its length. */
	readonly isChunked?: boolean;
	/** Names of records that others have made, which are in it. */
	readonly names?: readonly NameUse[];
	/** The route it was made for. */
	readonly route?: Route;
}

const json = ["content-type", "application/json"] as const;
/** What would take the service itself away from the test. */
const avoided = new Set(["POST /nodes/:node/drain"]);
const candidates = routes.filter(({ method, path }) => !avoided.has(`${method} ${path}`));
/** Those that store something are asked more often: what is stored is read again by everything else. */
const weighted = candidates.flatMap((route) => Array.from({ length: toWeight(route) }, () => route));

function toWeight({ method, path }: Route): number {
	if (samples[`${method} ${path}`] === undefined) return 1;
	return method === "POST" ? 10 : 4;
}

/** The request of a seed and a number: always the same one, for what has been made so far. */
export function makeRequest(seed: number, index: number, memory: Memory): FuzzRequest {
	const random = createRandom(seed * 1_000_003 + index);
	// The first numbers of neighbouring seeds are alike.
	for (let skipped = 0; skipped < 4; skipped += 1) random(2);
	memory.takeUsed();
	const source: Source = { random, memory, fresh: `f${seed}_${index}` };
	const route = pick(random, weighted);
	const caller = random(5) > 0 ? "admin" : pick(random, callerNames);
	const { method } = route;
	const request = random(5) > 1 ? makeOrderly(route, source) : makeDisorderly(route, source);
	return { caller, method, route, ...request, names: memory.takeUsed() };
}

/** What a client could send: whatever is hostile in it lies in what it says. */
function makeOrderly(route: Route, source: Source): Pick<FuzzRequest, "path" | "headers" | "tree"> {
	const path = makePath(route, source);
	if (route.body === undefined) return { path, headers: [] };
	const tree = makeTree(route, source);
	return { path, headers: [json], tree: source.random(4) === 0 ? mutate(source.random, tree) : tree };
}

/** Anything else. */
function makeDisorderly(route: Route, source: Source): Pick<FuzzRequest, "path" | "headers"> & Partial<FuzzRequest> {
	const { random } = source;
	const path = random(20) === 0 ? pick(random, hostilePaths) : makeHostileAddress(route, source);
	const method = random(20) === 0 ? { method: pick(random, ["HEAD", "OPTIONS", "PATCH", "TRACE", "POST", "PUT", "DELETE"]) } : {};
	const headers = Array.from({ length: random(3) }, () => pick(random, hostileHeaders));
	if (route.body === undefined && random(10) > 0) return { path, headers, ...method };
	const type = random(6) === 0 ? (["content-type", pick(random, contentTypes)] as const) : json;
	let tree = random(3) === 0 ? fillSchema(random, bodySchemaOf(route)) : makeTree(route, source);
	for (let count = random(4); count > 0; count -= 1) tree = mutate(random, tree);
	return { path, headers: [...headers, type], ...method, ...makeBody(tree, source), isChunked: random(5) === 0 };
}

function makeBody(tree: JsonTree, { random }: Source): Pick<FuzzRequest, "tree" | "bytes"> {
	if (random(4) === 0) return { bytes: breakBytes(random, toText(tree)) };
	if (random(60) === 0) return { bytes: Buffer.from(toText({ fields: [["a", "x".repeat(5_000_000)]] })) };
	return { tree };
}

function makeTree(route: Route, source: Source): JsonTree {
	const sample = samples[`${route.method} ${route.path}`];
	return sample === undefined ? fillSchema(source.random, bodySchemaOf(route)) : toTree(sample(source));
}
