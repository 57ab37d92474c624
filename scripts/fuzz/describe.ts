import { toText } from "./json-tree.ts";
import type { FuzzRequest } from "./make-request.ts";
import type { Finding } from "./run-fuzz.ts";

const longest = 600;

/** What was found, as it is printed. */
export function describe({ problem, requests, seed, isSeenAgain }: Finding): string {
	const head = `FOUND (seed ${seed}) ${problem.kind}: ${problem.detail.slice(0, 1_500)}`;
	const kind = isSeenAgain ? "by" : "not seen again with fewer; under way were";
	return [head, ...(requests.length > 0 ? [`  ${kind}`] : []), ...requests.map((request) => `  ${describeRequest(request)}`)].join("\n");
}

function describeRequest({ caller, method, path, headers, tree, bytes, isChunked }: FuzzRequest): string {
	const body = tree === undefined ? bytes?.toString("latin1") : toText(tree);
	const head = headers.map(([name, value]) => `${name}: ${cut(value)}`).join(", ");
	return `${caller}: ${method} ${cut(path)} [${head}]${isChunked ? " in pieces" : ""} ${body === undefined ? "" : cut(body)}`;
}

function cut(text: string): string {
	return text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text;
}
