import { isJsonObject, type JsonObject, type JsonValue, SvcError } from "../../../core/contract/index.ts";
import type { Chain, ChainNode } from "./chain.ts";
import { ChainSource, toSpecPath } from "./chain-source.ts";
import { type ChainProblem, findProblems, isTarget } from "./find-problems.ts";

/**
 * The chain that a text holds. `SVC_INVALID` says what keeps it from running.
 *
 * @param name what messages call it: the ref of its action
 */
export function readChain(text: string, name?: string): Chain {
	const source = new ChainSource(text);
	const problem = findProblems(source.value, name).find(({ type }) => type !== "warning");
	if (problem !== undefined) throw new SvcError("SVC_INVALID", toMessage(problem, source));
	const nodes = (source.value["chain"] as readonly JsonObject[]).map(toNode);
	return { text, vars: toObject(source.value["vars"]), nodes, start: toStart(nodes, source.value["default"]) };
}

function toMessage({ type, message, path }: ChainProblem, source: ChainSource): string {
	if (type === "semantic") return message;
	const line = source.lineOf(path);
	const place = [line === null ? [] : `line ${line}`, toSpecPath(path) ?? []].flat().join(", ");
	return place === "" ? message : `${place}: ${message}`;
}

function toNode(node: JsonObject): ChainNode {
	const { name, ref, parameters, params, publish, notify } = node as { readonly [key: string]: JsonValue | undefined };
	return {
		name: String(name),
		ref: String(ref),
		parameters: toObject(parameters ?? params),
		onSuccess: isTarget(node["on-success"]) ? node["on-success"] : null,
		onFailure: isTarget(node["on-failure"]) ? node["on-failure"] : null,
		publish: toObject(publish),
		notify: isJsonObject(notify) ? notify : null,
		parsed: Object.fromEntries(Object.entries(node).map(([key, value]) => [key.replaceAll("-", "_"), value])),
	};
}

function toObject(value: JsonValue | undefined): JsonObject {
	return isJsonObject(value) ? value : {};
}

/** Without `default` the first node that no other leads to; where each is led to, the first. */
function toStart(nodes: readonly ChainNode[], start: JsonValue | undefined): string {
	if (isTarget(start)) return start;
	const targets = new Set(nodes.flatMap(({ onSuccess, onFailure }) => [onSuccess, onFailure]));
	return (nodes.find(({ name }) => !targets.has(name)) ?? nodes[0])?.name ?? "";
}
